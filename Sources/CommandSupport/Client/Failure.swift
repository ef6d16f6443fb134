// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop

/// A call that failed, as a person is told.
struct Failure {
    let message: String
    let status: ExitStatus

    init(_ error: CallError) {
        guard case .remote(let reply) = error else {
            self.init(message: "\(error)", status: .noService)
            return
        }
        switch reply.name {
        case .serviceUnknown, .nameHasNoOwner:
            self.init(message: "the service \(WireNames.service) does not run on this bus", status: .noService)
        case .unknownObject, .unknownInterface, .unknownMethod, .unknownProperty:
            self.init(message: "the service does not offer this, or not to you: \(reply.message)", status: .noService)
        case let name where name == .accessDenied || name.text.hasPrefix(WireNames.errorPrefix):
            // The service has a sentence for each of its errors.
            self.init(message: "refused: \(reply.message)", status: .refused)
        default:
            self.init(message: "\(error)", status: .noService)
        }
    }

    private init(message: String, status: ExitStatus) {
        self.message = Text.printable(message)
        self.status = status
    }
}

extension Command {
    /// Connects, and turns failures into words and exit statuses.
    @Loop
    static func withService(
        _ arguments: Arguments, _ body: @Loop (ServiceClient) async throws(CallError) -> ExitStatus
    ) async -> ExitStatus {
        do throws(CallError) {
            return try await body(ServiceClient(arguments))
        } catch {
            let failure = Failure(error)
            Console.printError(failure.message)
            return failure.status
        }
    }

    /// Connects, and goes to the person whom the command line names.
    @Loop
    static func withPerson(
        _ arguments: Arguments, _ body: @Loop (PersonClient) async throws(CallError) -> ExitStatus
    ) async -> ExitStatus {
        await withService(arguments) { service throws(CallError) in
            try await body(PersonClient(service, arguments))
        }
    }
}
