// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import NetworkAccessibility
import Synchronization

/// An app that uses the library, and takes commands: one a line on standard input; answers begin with "= ", news with "< ".
///
/// Its monitor is that of the process, or if the address of a bus is given, one for that.
@main
@MainActor
enum Main {
    static var monitor = makeMonitor()
    /// The monitor that was forgotten last, if somebody else holds it.
    static weak var forgotten: AccessMonitor?
    static var loops: [Task<Void, Never>] = []
    static var retry: Task<Void, Never>?
    /// The connection of the download that runs.
    nonisolated static let current = Mutex<Int32>(-1)
    /// Marks the main queue, which is where the main actor is.
    nonisolated static let mainQueue = DispatchSpecificKey<Bool>()

    static func main() async {
        DispatchQueue.main.setSpecific(key: mainQueue, value: true)
        let (lines, continuation) = AsyncStream.makeStream(of: [Substring].self)
        // For good, so that it does not change the number of threads.
        let reader = DispatchQueue(label: "input")
        reader.async {
            while let line = readLine() { continuation.yield(line.split(separator: " ")) }
            continuation.finish()
        }
        for await words in lines {
            say("= " + (await answer(words[0], words.dropFirst().first.map { String($0) })))
        }
    }

    static func makeMonitor() -> AccessMonitor {
        CommandLine.arguments.count > 1 ? AccessMonitor(bus: .address(CommandLine.arguments[1])) : .shared
    }

    static func answer(_ command: Substring, _ argument: String?) async -> String {
        switch command {
        case "start": monitor.start()
        case "stop": monitor.stop()
        case "status": return text(monitor.status)
        case "number": return "\(monitor.currentState.rawValue)"
        case "service": return "\(monitor.status.service) \(monitor.status.policy.word) \(monitor.status.appID)"
        case "notifier": setNotifier(argument)
        case "updates": startLoop()
        case "drop": loops[argument.flatMap { Int($0) } ?? 0].cancel()
        case "forget":
            forgotten = monitor
            monitor = makeMonitor()
        case "held": return "\(forgotten != nil)"
        case "check", "diagnose", "alert", "authorize", "settings": return await request(command, argument)
        case "try": return await tryOperation(failures: argument.flatMap { Int($0) } ?? 0)
        case "retry": startRetry(host: argument.map { Host($0, port) })
        case "fail": current.withLock { _ = shutdown($0, Int32(SHUT_RDWR)) }
        case "cancel": retry?.cancel()
        case "facts": return facts()
        default: return "what?"
        }
        return "done"
    }

    /// Writes a line at once: the standard output is a pipe, which `print` would fill first.
    nonisolated static func say(_ line: String) {
        let line = line + "\n"
        _ = line.withCString { write(1, $0, line.utf8.count) }
    }

    nonisolated static func text(_ status: AccessStatus) -> String {
        "\(status.state.word) \(status.isReachable) \(status.reason.word) Connectivity=\(status.connectivity.word) "
            + "Metered=\(status.isMetered) Transport=\(status.transport.word)"
    }

    /// Sets a notifier that says what it is told, and if that is not on the main queue.
    static func setNotifier(_ place: String?) {
        let delivery: Delivery =
            switch place {
            case "queue": .custom { DispatchQueue.main.async(execute: $0) }
            case "elsewhere": .executor(globalConcurrentExecutor)
            default: .mainActor
            }
        monitor.setNotifier(on: delivery) { status in
            let isMain = DispatchQueue.getSpecific(key: mainQueue) == true
            say("< \(isMain ? "told" : "told elsewhere") \(text(status))")
        }
    }

    /// Goes over the changes, and says each with the number of the loop.
    static func startLoop() {
        let (number, updates) = (loops.count, monitor.updates)
        loops.append(
            Task {
                for await status in updates { say("< \(number) \(status.service) \(text(status))") }
                say("< \(number) ended")
            })
    }

    /// What an app asks of the service.
    static func request(_ command: Substring, _ argument: String?) async -> String {
        do throws(AccessError) {
            switch command {
            case "check": return text(try await monitor.check())
            case "authorize": return try await monitor.requestAuthorization(activationToken: argument).word
            case "settings": try await monitor.openSettings(activationToken: argument)
            case "alert": monitor.isAlertEnabled = argument == "on"
            default:
                let error: any Error = argument == "cancelled" ? CancellationError() : Refused()
                return text(await monitor.diagnose(after: error, showAlert: argument == "alert"))
            }
            return "done"
        } catch {
            return "\(error)"
        }
    }

    static func text(_ diagnosis: Diagnosis) -> String {
        switch diagnosis {
        case .restricted(let restriction):
            "restricted \(restriction.reason.word) \(restriction.policy.word): \(restriction.remedy)"
        case .offline(let reason): "offline \(reason.word)"
        case .notNetworkRelated: "not the network"
        }
    }

    struct Refused: Error {}
}
