// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import AppIdentity
internal import DBus
internal import EventLoop

/// Who may see and change what belongs to a person.
@Loop
final class PersonAccess {
    private unowned let callers: Callers
    private let authority: Authority

    init(_ callers: Callers, _ authority: Authority) {
        self.callers = callers
        self.authority = authority
    }

    /// True for processes that could act as the person anyway: its own, outside of a sandbox, and root's.
    func isTrusted(_ sender: BusName, with uid: UInt32) -> Bool {
        let caller = callers.identity(of: sender)
        return !caller.isSandboxed && (caller.app.uid == uid || caller.app.uid == 0)
    }

    /// Whether an app's object is there for a connection: for the trusted, and for the app itself.
    func canSee(_ app: App, _ sender: BusName) -> Bool {
        isTrusted(sender, with: app.uid) || callers.identity(of: sender).app == app
    }

    /// For reading: lets the trusted through and nobody else.
    var trusted: Access {
        .checked { [unowned self] request throws(ErrorReply) in
            guard let uid = request.path.person, isTrusted(request.sender, with: uid) else {
                throw ErrorReply(.notAuthorized, "This belongs to somebody else.")
            }
        }
    }

    /// For what an app may read of itself: lets the trusted through, and the person's apps, each of which sees itself alone.
    var ofPerson: Access {
        .checked { [unowned self] request throws(ErrorReply) in
            guard let uid = request.path.person, isPerson(request.sender, uid) else {
                throw ErrorReply(.notAuthorized, "This belongs to somebody else.")
            }
        }
    }

    /// True for the trusted, and for the person's apps.
    func isPerson(_ sender: BusName, _ uid: UInt32) -> Bool {
        let app = callers.identity(of: sender).app
        return isTrusted(sender, with: uid) || app.uid == uid && app.isIdentified
    }

    /// For writing: lets the trusted through, and whom the authority allows to manage other persons' rules; never a sandbox.
    var trustedOrAuthorized: Access {
        .authorized { [unowned self] request async throws(ErrorReply) in
            if let uid = request.path.person, isTrusted(request.sender, with: uid) { return }
            let caller = callers.identity(of: request.sender)
            guard !caller.isSandboxed else {
                throw ErrorReply(.notAuthorized, "An app in a sandbox may not do this.")
            }
            try await authority.authorize(WireNames.managePolicyAction, for: request, of: caller.app.uid)
        }
    }
}
