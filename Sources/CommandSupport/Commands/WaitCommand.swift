// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop

extension Command {
    static let wait = Command(
        name: "wait", summary: "Wait until the network is open to this app",
        details: [
            "Exit status 0 when it has come to that; when the time is up, 1 if the app is restricted then, else 2.",
            "Without --timeout it waits for as long as it takes.",
        ],
        options: [
            Option(
                name: "until", parameter: .word("WHAT", of: Goal.allCases.map(\.rawValue)),
                summary: "reachable (the default), accessible or restricted"),
            Option(name: "timeout", parameter: .seconds, summary: "give up after this time"),
        ],
        examples: [
            Example(line: "netaccess wait --timeout=30 && git pull", meaning: "pull as soon as packets get out"),
            Example(
                line: "netaccess wait --until=restricted", meaning: "notice that the network is closed to this app"),
        ]
    ) { arguments in
        let goal = arguments.values["until"].flatMap(Goal.init(rawValue:)) ?? .reachable
        let limit = arguments.values["timeout"].flatMap { Double($0) }.map { Duration.seconds($0) }
        return await withService(arguments) { service throws(CallError) in
            try await wait(for: goal, limit, service)
        }
    }

    private enum Goal: String, CaseIterable, Sendable {
        case reachable, accessible, restricted

        func isReached(_ view: AccessView) -> Bool {
            switch self {
            case .reachable: view.isReachable
            case .accessible: view.state == .accessible
            case .restricted: view.state == .restricted
            }
        }
    }

    @Loop
    private static func wait(
        for goal: Goal, _ limit: Duration?, _ service: ServiceClient
    ) async throws(CallError) -> ExitStatus {
        let result = FirstValue<ExitStatus>()
        var last: AccessView?
        let timer = Timer { result.set(last?.state == .restricted ? .restricted : .offline) }
        let deadline = limit.map { Loop.now + $0 }
        try await service.follow { view in
            last = view
            if let view, goal.isReached(view) { result.set(.success) }
        }
        // Only now, so that how things are at present counts even without any time to wait.
        if let deadline { timer.arm(at: deadline) }
        return await result.value()
    }
}

/// A value that comes once; later ones do not count.
@Loop
private final class FirstValue<Value: Sendable> {
    private var current: Value?
    private var waiting: CheckedContinuation<Value, Never>?

    func set(_ value: Value) {
        guard current == nil else { return }
        current = value
        waiting?.resume(returning: value)
        waiting = nil
    }

    func value() async -> Value {
        if let current { return current }
        return await withCheckedContinuation { waiting = $0 }
    }
}
