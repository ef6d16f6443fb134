// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import EventLoop
internal import ServiceNames

extension Command {
    static let network = Command(
        name: "network", summary: "Show what the service knows of the device's network",
        details: ["These facts are the same for every app; no policy has a say in them."],
        options: [.json],
        examples: [
            Example(line: "netaccess network", meaning: "paths, transport, metered, airplane mode and so on"),
            Example(line: "netaccess network --json", meaning: "the same for a program"),
        ]
    ) { arguments in
        await withService(arguments) { service throws(CallError) in
            let facts = try await service.properties(of: .network)
            Console.print(arguments.has("json") ? JSON.object(facts.map { ($0, JSON($1)) }).text : table(facts))
            return .success
        }
    }
}
