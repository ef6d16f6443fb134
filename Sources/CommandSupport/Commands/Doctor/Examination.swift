// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import Glibc
internal import PolicyStore

extension Findings {
    /// Asks the service, the bus and the files.
    ///
    /// Each question has a limit of time, and none that fails keeps the others from being asked.
    ///
    /// - Parameters:
    ///   - arguments: which bus.
    ///   - check: the files.
    @Loop
    init(_ arguments: Arguments, _ check: PolicyCheck) async {
        files = Files(
            count: check.fileCount, problems: check.problems, unreadable: check.unreadable,
            disabledSources: Source.optional.filter { !check.settings.sources.contains($0) })
        // The specification of the user's manager: this is where it listens.
        hasServiceManager = access("/run/user/\(geteuid())/systemd/private", F_OK) == 0
        do throws(CallError) {
            let client = try await ServiceClient(arguments)
            hasPolkit = try? await client.hasPolkit()
            await ask(client)
        } catch .unreachable(let words) {
            service = .noBus(Text.printable(words))
        } catch {
            service = .noBus(Text.printable("\(error)"))
        }
        rule = check.place(deciding: explanation.app, explanation.policy.origin)
    }

    @Loop
    private mutating func ask(_ client: ServiceClient) async {
        do throws(CallError) {
            guard let entries = try await client.call("Explain").first?.orderedVardict else { throw .unexpectedReply }
            explanation = Explanation(entries.map { (key: $0, value: $1) })
        } catch .remote(let error) where error.name == .serviceUnknown || error.name == .nameHasNoOwner {
            service = .absent
        } catch {
            service = .fails(Text.printable("\(error)"))
        }
    }
}

extension ServiceClient {
    /// Whether polkit runs or would be started.
    fileprivate func hasPolkit() async throws(CallError) -> Bool {
        for member: MemberName in ["ListNames", "ListActivatableNames"] {
            let names = try await connection.call(.bus, .bus, .bus, member, timeout: .seconds(5)).first?.elements ?? []
            if names.contains(.string("org.freedesktop.PolicyKit1")) { return true }
        }
        return false
    }
}
