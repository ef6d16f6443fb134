// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import Glibc
import TestSupport
import Testing

/// What belongs to a person: others, and apps in sandboxes, see and change nothing of it, whatever they try.
@Suite(.loop, .serialized)
struct PrivacyTests {
    private static let me: UInt32 = 65534
    private static let other: UInt32 = 2

    /// What a user gets who tries everything on the objects of a person and of apps.
    @Loop private func attempts(
        _ service: RunningService, on person: UInt32, _ ids: String..., as uid: UInt32
    ) async throws -> [String] {
        let result = try await run(
            [
                "setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "/usr/bin/python3",
                Repository.support("stranger.py"), service.bus.address, "\(person)",
            ] + ids)
        return result.output.split(separator: "\n").map(String.init)
    }

    private static let refusal = "!! \(WireNames.errorPrefix)NotAuthorized "
    /// The objects that a person has for somebody who may see none of its apps.
    private static let nothing = ["objects GetManagedObjects -> {}", "objects Introspect ->"]

    @Test @Loop func `another user sees and changes nothing, and a hidden app is byte for byte one that never was`()
        async throws
    {
        let service = try await RunningService(.ethernet)
        for id in ["secret", "org.example.App"] {
            _ = try await service.callStore(of: Self.me, "SetPolicy", id, "off", as: Self.me)
        }
        let file = try Repository.file(service.file(of: Self.me))
        let tried = try await attempts(service, on: Self.me, "secret", "absent", as: Self.other)
        let store = tried.filter { $0.hasPrefix("store ") || $0.hasPrefix("read Get ") }
        #expect(store.count == 9 && store.allSatisfy { $0.contains(Self.refusal) }, "\(store)")
        let usage = tried.filter { $0.hasPrefix("usage ") }
        #expect(usage.count == 3 && usage.allSatisfy { $0.contains(Self.refusal) }, "\(usage)")
        // What may not be read is left out.
        #expect(tried.contains("read GetAll -> {}"))
        #expect(
            tried.filter { $0.hasPrefix("objects ") }
                == Self.nothing + ["objects Introspect -> <node name=\"\(Self.other)\"/>"])
        let apps = tried.filter { $0.hasPrefix("app ") }
        #expect(apps.count == 22 && apps.allSatisfy { $0.contains(" !! ") }, "\(apps)")
        #expect(Array(apps.prefix(11)) == Array(apps.suffix(11)))
        // The person gets the same for an app that is not there, but not for one that is.
        let own = try await attempts(service, on: Self.me, "absent", as: Self.me).filter { $0.hasPrefix("app ") }
        #expect(own == Array(apps.prefix(11)))
        #expect(try await attempts(service, on: Self.me, "secret", as: Self.me).contains("app Get -> off"))
        #expect(try Repository.file(service.file(of: Self.me)) != file, "the person's own attempts count")
    }

    @Test @Loop func `an app in a sandbox, behind its bus proxy, changes nothing and reads what is its own`()
        async throws
    {
        let service = try await RunningService(.ethernet, privileges: .identity)
        for id in ["org.example.App", "org.example.Other", "secret"] {
            _ = try await service.callStore(of: Self.me, "SetPolicy", id, "off", as: Self.me)
        }
        _ = try await service.callStore(of: 0, "SetPolicy", "secret", "off")
        let files = [Self.me, 0].map { service.file(of: $0) }
        let before = try files.map(Repository.file)
        for person in [Self.me, 0] {
            try service.files.write(
                "usage 1\napp org.example.App\n3 1 2 3 4\napp org.example.Other\n3 5 6 7 8\nend\n",
                to: "var/lib/network-accessibility/usage/\(person)/2026-10")
        }
        let info = "[Application]\nname=org.example.App\n\n[Context]\nshared=network;\n"
        let proxy = try await Proxy(Client(sandbox: info, network: service.pid), service)
        for person in [Self.me, 0] {
            let client = try Client(sandbox: info, network: service.pid, options: ["--unshare-pid"])
            let program = try client.folder.write(
                try Repository.text("Tests/ContractTests/Support/stranger.py"), to: "stranger.py")
            let process = try client.start([
                "/usr/bin/python3", program, proxy.address, "\(person)", "secret", "absent",
            ])
            #expect(try await process.exitStatus() == 0, "\(process.errorText)")
            let tried = process.lines
            let store = tried.filter { $0.hasPrefix("store ") || $0.hasPrefix("read Get ") }
            #expect(store.count == 9 && store.allSatisfy { $0.contains(Self.refusal) }, "\(store)")
            #expect(tried.contains("read GetAll -> {}"))
            let apps = tried.filter { $0.hasPrefix("app ") }
            #expect(apps.count == 22 && apps.allSatisfy { $0.contains(" !! ") }, "\(apps)")
            #expect(Array(apps.prefix(11)) == Array(apps.suffix(11)))
            let usage = tried.filter { $0.hasPrefix("usage ") }
            if person == Self.me {
                let own = "usage ListUsage -> [[2026-10-03 org.example.App 1 2 3 4]]"
                #expect(usage == [own, own, "usage ListUsage -> []"])
            } else {
                #expect(usage.count == 3 && usage.allSatisfy { $0.contains(Self.refusal) }, "\(usage)")
            }
            let objects = tried.filter { $0.hasPrefix("objects ") }
            guard person == Self.me else {
                #expect(objects.prefix(2) == Self.nothing[...])
                continue
            }
            #expect(
                objects.first?.firstMatch(of: #/^objects GetManagedObjects -> {([^=]*)=\{/#).map { String($0.1) }
                    == "\(WireNames.usersPath)/\(person)/org_2eexample_2eApp", "\(objects)")
            #expect(objects.first?.matches(of: #/Id=/#).count == 1, "\(objects)")
            #expect(objects.first?.contains("Policy=off") == true)
            #expect(objects.dropFirst().first == "objects Introspect -> <node name=\"org_2eexample_2eApp\"/>")
        }
        #expect(try files.map(Repository.file) == before)
    }

    @Test @Loop func `I12: a sandbox that may not talk to the service gets an error, and no answer that is none`()
        async throws
    {
        let service = try await RunningService(.ethernet)
        let proxy = try await Proxy(Client(in: "app-flatpak-org.example.App-7.scope"), service, talks: false)
        let result = try await run(
            "/usr/bin/python3", Repository.support("explain.py"), proxy.address, allowsFailure: true)
        #expect(result.output == "")
        #expect(result.errors.contains("org.freedesktop.DBus.Error.ServiceUnknown"), "\(result.errors)")
        let tool = try await run(
            Repository.products + "/netaccess", "status", "--address=\(proxy.address)", allowsFailure: true)
        #expect(tool.status == 3 && tool.output == "")
        #expect(try Repository.text("README.md").contains("--system-talk-name=\(WireNames.service)"))
    }
}
