// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop

/// Asks polkit whether a connection may do more than its own user id allows.
///
/// An authority that is absent, refuses to answer or hangs has allowed nothing.
@Loop
final class Authority {
    private unowned let connection: Connection
    private var questionsInFlight: [UInt32: Int] = [:]
    private var lastQuestion: UInt64 = 0

    /// How many questions on behalf of one user wait at the most.
    private static let questionLimit = 16

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Waits for the authority's word.
    ///
    /// - Parameters:
    ///   - action: the id of an action whose owner this service is.
    ///   - request: whose caller is asked about; it says whether a person may be asked for a password.
    ///   - uid: the caller's user id.
    /// - Throws: `NotAuthorized`, or `LimitExceeded` if too many questions of the user wait.
    func authorize(_ action: String, for request: Request, of uid: UInt32) async throws(ErrorReply) {
        let count = questionsInFlight[uid, default: 0]
        guard count < Self.questionLimit else {
            throw ErrorReply(.limitExceeded, "Too many questions to the authority wait for their answers.")
        }
        questionsInFlight[uid] = count + 1
        defer { questionsInFlight[uid] = questionsInFlight[uid].flatMap { $0 > 1 ? $0 - 1 : nil } }
        guard await isAuthorized(action, request) else {
            throw ErrorReply(.notAuthorized, "The authority does not allow this.")
        }
    }

    private func isAuthorized(_ action: String, _ request: Request) async -> Bool {
        lastQuestion += 1
        let question = String(lastQuestion)
        // Without a person to wait for, an answer takes milliseconds.
        let timeout: Duration = request.allowsInteraction ? .seconds(120) : .seconds(5)
        let subject: [Value] = [.string("system-bus-name"), .vardict([("name", .string(request.sender.text))])]
        do {
            let reply = try await connection.call(
                .polkit, .polkit, .polkit, "CheckAuthorization",
                [
                    .structure(subject), .string(action), .dictionary(key: .string, value: .string, []),
                    .uint32(request.allowsInteraction ? 1 : 0), .string(question),
                ], timeout: timeout)
            // (is_authorized, is_challenge, details)
            return reply.first?.members?.first?.boolean ?? false
        } catch CallError.timedOut {
            // A dialog must not stay on the screen when nobody waits for it any more; whether it went is of no interest.
            _ = try? await connection.call(
                .polkit, .polkit, .polkit, "CancelCheckAuthorization", [.string(question)], timeout: .seconds(1))
            return false
        } catch {
            return false
        }
    }
}

// The names of polkit's D-Bus interface, version 1.
extension BusName {
    fileprivate static let polkit: BusName = "org.freedesktop.PolicyKit1"
}

extension ObjectPath {
    fileprivate static let polkit: ObjectPath = "/org/freedesktop/PolicyKit1/Authority"
}

extension InterfaceName {
    fileprivate static let polkit: InterfaceName = "org.freedesktop.PolicyKit1.Authority"
}
