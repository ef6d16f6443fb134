// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// `org.example.NetworkAccessibility.Agent1`: what the service has to show.
@Loop
enum AgentInterface {
    /// - Parameters:
    ///   - screen: where it is shown.
    ///   - settings: what opens the settings.
    ///   - service: who may call.
    ///   - released: is called when another agent has taken over.
    /// - Returns: the table.
    static func table(
        _ screen: Screen, _ settings: SettingsOpener, service: @escaping @Loop @Sendable () -> BusName?,
        released: @escaping @Loop () -> Void
    ) -> Interface {
        let access = Access.checked { request throws(ErrorReply) in
            guard request.sender == service() else {
                throw ErrorReply(.accessDenied, "Only the service may call this.")
            }
        }
        return Interface(
            .agent,
            methods: [
                Method(
                    "ShowAlert",
                    inputs: [Argument("app_id", .string), Argument("reason", .string), Argument("details", .vardict)],
                    access: access, annotations: [qtMap("In2")],
                    body: .now { request in
                        let details = request.arguments.last?.vardict ?? [:]
                        let alert = Alert(
                            reason: Reason(tolerating: request.string(1)), isLocked: details["Locked"]?.boolean ?? false
                        )
                        screen.show(alert, of: request.string(0))
                        return []
                    }),
                Method(
                    "AskPolicy", inputs: [Argument("app_id", .string), Argument("options", .vardict)],
                    outputs: [Argument("policy", .string)], access: access, annotations: [qtMap("In1")],
                    body: .later { request async throws(ErrorReply) in
                        guard let answer = await screen.ask(about: request.string(0)) else {
                            throw ErrorReply(.canceled, "There is no answer.")
                        }
                        return [.string(answer.word)]
                    }),
                Method(
                    "OpenSettings", inputs: [Argument("app_id", .string), Argument("options", .vardict)],
                    access: access, annotations: [qtMap("In1")],
                    body: .later { request async throws(ErrorReply) in
                        let token = request.arguments.last?.vardict?["activation-token"]?.string
                        do throws(CallError) {
                            try await settings.open(at: request.string(0), token: token)
                        } catch {
                            AgentLog.write("the settings do not open: \(error)")
                            throw ErrorReply(.failed, "The settings do not open.")
                        }
                        return []
                    }),
                Method(
                    "Cancel", inputs: [Argument("app_id", .string)], access: access,
                    body: .now { request in
                        screen.cancel(request.string(0))
                        return []
                    }),
                Method(
                    "Release", access: access,
                    body: .now { _ in
                        released()
                        return []
                    }),
            ])
    }

    private static func qtMap(_ place: String) -> Annotation {
        Annotation("org.qtproject.QtDBus.QtTypeName.\(place)", "QVariantMap")
    }
}
