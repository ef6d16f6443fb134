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
        case .accessDenied:
            self.init(message: "refused: \(reply.message)", status: .refused)
        case let name where name.text.hasPrefix(WireNames.errorPrefix):
            let word = String(name.text.dropFirst(WireNames.errorPrefix.count))
            self.init(message: "refused: \(Self.meanings[word] ?? word): \(reply.message)", status: .refused)
        default:
            self.init(message: "\(error)", status: .noService)
        }
    }

    private init(message: String, status: ExitStatus) {
        self.message = Text.printable(message)
        self.status = status
    }

    private static let meanings = [
        "Locked": "the administrator has locked this",
        "NotAuthorized": "you may not do this",
        "StorageFailed": "it cannot be stored, and the old policy stays in force",
        "LimitExceeded": "there is too much of this already",
        "InvalidAppId": "this is no app id",
        "InvalidPolicy": "this is no policy",
    ]
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
