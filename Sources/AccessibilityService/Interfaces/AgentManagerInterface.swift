// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import AppIdentity
internal import DBus
internal import EventLoop
internal import ServiceNames

/// `org.example.NetworkAccessibility.AgentManager1`: where the agents of persons register.
@Loop
enum AgentManagerInterface {
    static func table(_ agents: Agents, _ callers: Callers) -> Interface {
        let access = Access.checked { [unowned callers] request throws(ErrorReply) in
            let caller = callers.identity(of: request.sender)
            // An app in a sandbox could answer its own question.
            guard !caller.isSandboxed, caller.app.uid != .max else {
                throw ErrorReply(.notAuthorized, "Only a process outside of a sandbox can be the agent of its user.")
            }
        }
        return Interface(
            .agentManager,
            methods: [
                Method(
                    "RegisterAgent", inputs: [Argument("path", .objectPath), Argument("options", .vardict)],
                    access: access, annotations: [Annotation("org.qtproject.QtDBus.QtTypeName.In1", "QVariantMap")],
                    body: .now { [unowned agents] request throws(ErrorReply) in
                        agents.register(request.sender, at: try path(of: request))
                        return []
                    }),
                Method(
                    "UnregisterAgent", inputs: [Argument("path", .objectPath)], access: access,
                    body: .now { [unowned agents] request throws(ErrorReply) in
                        try agents.unregister(request.sender, at: try path(of: request))
                        return []
                    }),
                Method(
                    "AlertDismissed", inputs: [Argument("app_id", .string)], access: access,
                    body: .now { [unowned agents] request throws(ErrorReply) in
                        try agents.alertDismissed(request.string(0), by: request.sender)
                        return []
                    }),
            ])
    }

    private static func path(of request: Request) throws(ErrorReply) -> ObjectPath {
        guard let path = request.arguments.first?.objectPath else {
            throw ErrorReply(.invalidArguments, "The first argument is no object path.")
        }
        return path
    }
}
