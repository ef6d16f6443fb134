// SPDX-License-Identifier: Apache-2.0

import CLinux
import EventLoop
import Glibc
import Netlink
import TestSupport
import Testing

@testable import Enforcement

/// The table in a real kernel, as nft(8) shows it.
@Suite(.loop)
struct TableTests {
    /// What the table is, in the language of nft(8).
    private static func text(levels: Int, links: [LinkTrait: [String]] = [:]) -> String {
        func refuse(_ set: String, _ direction: String) -> String {
            (1...levels).map { "socket cgroupv2 level \($0) @\(set) goto refuse_\(direction)" }.joined(separator: "\n")
        }
        func count(_ trait: String, _ direction: String) -> String {
            let set = trait + (direction == "output" ? "_sent" : "_received")
            return (2...levels).map { "update @\(set) { socket cgroupv2 level \($0) }" }.joined(separator: "\n")
        }
        let counters = ["cellular_sent", "cellular_received", "metered_sent", "metered_received"].map {
            "set \($0) { type cgroupsv2; size 4096; flags dynamic; counter; }"
        }.joined(separator: "\n")
        func elements(_ trait: LinkTrait) -> String {
            links[trait].map { "elements = { " + $0.map { "\"\($0)\"" }.joined(separator: ", ") + " }" } ?? ""
        }
        func chains(_ direction: String, _ name: String, _ last: String) -> String {
            """
            chain refuse_\(direction) {
                tcp flags & rst != 0 accept
                meta l4proto tcp counter reject with tcp reset
                counter \(last)
            }
            chain cellular_\(direction) {
                \(refuse("no_cellular", direction))
            }
            chain metered_\(direction) {
                \(refuse("no_metered", direction))
            }
            chain count_cellular_\(direction) {
                \(count("cellular", direction))
            }
            chain count_metered_\(direction) {
                \(count("metered", direction))
            }
            chain \(direction) {
                type filter hook \(direction) priority filter; policy accept;
                \(name) "lo" accept
                \(refuse("off", direction))
                \(name) @cellular jump cellular_\(direction)
                \(name) @metered jump metered_\(direction)
                \(name) @cellular jump count_cellular_\(direction)
                \(name) @metered jump count_metered_\(direction)
            }
            """
        }
        return """
            table inet network_accessibility {
                set cellular { type ifname; \(elements(.cellular)); }
                set metered { type ifname; \(elements(.metered)); }
                set off { type cgroupsv2; }
                set no_cellular { type cgroupsv2; }
                set no_metered { type cgroupsv2; }
                \(counters)
                \(chains("output", "oifname", "reject with icmpx admin-prohibited"))
                \(chains("input", "iifname", "drop"))
            }
            """
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            // A newer nft(8) adds the name of the owner.
            let line = line.prefix { $0 != "#" }.drop { $0 == "\t" || $0 == " " }
            // A rule with its number, which says nothing.
            if line.hasPrefix("inet ") { return line.split(separator: " ").prefix(3).joined(separator: " ") }
            return String(line.lastIndex { $0 != " " }.map { line[...$0] } ?? "")
        }.filter { !$0.isEmpty }
    }

    @Test(arguments: [8, 12]) @Loop func `the kernel holds what it would hold if nft had loaded the same`(
        levels: Int
    ) async throws {
        let ours = try await NetworkNamespace()
        let theirs = try await NetworkNamespace()
        let backEnd = try ours.backEnd()
        try backEnd.replace(
            with: EnforcementPlan(links: [.cellular: ["tun0"], .metered: ["wwan0"]], levels: levels))
        let folder = try TemporaryDirectory()
        let links: [LinkTrait: [String]] = [.cellular: ["tun0"], .metered: ["wwan0"]]
        try await theirs.nft("-f", try folder.write(Self.text(levels: levels, links: links), to: "rules"))
        // Down to the instructions.
        let list = ["--debug=netlink", "-s", "list", "table", "inet", NfTable.ownName]
        let expected = try await Self.lines(theirs.nft(list))
        let found = try await Self.lines(ours.nft(list))
        #expect(found.count > 8 * levels)
        #expect(found.filter { $0 != "flags owner" } == expected)
        withExtendedLifetime(backEnd) {}
    }

    @Test @Loop func `a change of the plan is a change of elements, and the rules stay`() async throws {
        let namespace = try await NetworkNamespace()
        let backEnd = try namespace.backEnd()
        var plan = EnforcementPlan()
        try backEnd.replace(with: plan)
        let handle = try await namespace.tableHandle()
        // Each restriction and each trait, in both ways, with more than fits into one message.
        let many = Set((0..<2500).map { "link\($0)" })
        for next in [
            EnforcementPlan(groups: [.off: [1 << 40], .noCellular: [7 << 40]], links: [.cellular: many]),
            EnforcementPlan(groups: [.noCellular: [1 << 40], .noMetered: [7 << 40]], links: [.metered: many]),
            EnforcementPlan(groups: [.off: [2 << 40]], links: [.metered: ["wwan0"], .cellular: ["wwan0", "tun0"]]),
            EnforcementPlan(),
        ] {
            try backEnd.change(from: plan, to: next)
            plan = next
            for restriction in Restriction.allCases {
                #expect(
                    try await namespace.elements(of: restriction.setName)
                        == Set((plan.groups[restriction] ?? []).map(String.init)))
            }
            for trait in LinkTrait.allCases {
                #expect(try await namespace.elements(of: trait.setName) == plan.links[trait])
            }
        }
        #expect(try await namespace.tableHandle() == handle)
    }

    @Test @Loop func `what the kernel refuses is told with its place, and changes nothing`() async throws {
        let namespace = try await NetworkNamespace()
        let backEnd = try namespace.backEnd()
        let plan = EnforcementPlan(groups: [.off: [1 << 40]])
        try backEnd.replace(with: plan)
        // What is not there cannot be taken out.
        let wrong = EnforcementPlan(groups: [.off: [1 << 40, 2 << 40]])
        let next = EnforcementPlan(groups: [.off: [3 << 40]])
        #expect(throws: BackEndError.self) { try backEnd.change(from: wrong, to: next) }
        do { try backEnd.change(from: wrong, to: next) } catch {
            #expect("\(error)".hasPrefix("nftables: table network_accessibility: remove 2 from the set off: "))
            #expect("\(error)".contains("No such file or directory"))
        }
        #expect(try await namespace.elements(of: "off") == ["\(UInt64(1) << 40)"])
        try backEnd.change(from: plan, to: next)
        #expect(try await namespace.elements(of: "off") == ["\(UInt64(3) << 40)"])
    }

    @Test @Loop func `nobody else can change the table, or flush it`() async throws {
        let namespace = try await NetworkNamespace()
        let backEnd = try namespace.backEnd()
        try backEnd.replace(with: EnforcementPlan(links: [.cellular: ["wwan0"]]))
        try await namespace.nft("flush", "ruleset")
        #expect(try await namespace.elements(of: "cellular") == ["wwan0"])
        for command in [
            "delete table inet network_accessibility", "flush table inet network_accessibility",
            "add element inet network_accessibility cellular { x }", "flush set inet network_accessibility cellular",
        ] {
            let result = try await namespace.nftResult([command])
            #expect(result.status != 0 && result.errors.contains("Operation not permitted"), "\(command)")
        }
        // Nor can another instance of the service.
        let other = try namespace.backEnd()
        do {
            try other.replace(with: EnforcementPlan())
            Issue.record("two owners")
        } catch {
            #expect("\(error)".contains("no other program owns"))
        }
        #expect(try await namespace.elements(of: "cellular") == ["wwan0"])
        withExtendedLifetime(backEnd) {}
    }

    @Test @Loop func `a plain table under the name is replaced`() async throws {
        let namespace = try await NetworkNamespace()
        try await namespace.nft("add table inet network_accessibility; add chain inet network_accessibility stale")
        let backEnd = try namespace.backEnd()
        try backEnd.replace(with: EnforcementPlan())
        #expect(try await !namespace.nft("list ruleset").contains("stale"))
        withExtendedLifetime(backEnd) {}
    }

    @Test @Loop func `without a keeper the table goes with its owner, and stays in a descriptor that is kept`()
        async throws
    {
        let namespace = try await NetworkNamespace()
        var backEnd: NftablesBackEnd? = try namespace.backEnd()
        let number = try #require(backEnd).descriptor
        let many = Set((0..<2000).map { "wwan\($0)" })
        try backEnd?.replace(with: EnforcementPlan(links: [.cellular: many]))
        let kept = try Descriptor("dup") { dup(number) }
        let handle = try await namespace.tableHandle()
        backEnd = nil
        // As if the process had been killed: the socket lives on in the store.
        try await namespace.nft("flush", "ruleset")
        #expect(try await namespace.elements(of: "cellular") == many)
        #expect(try await namespace.nftResult(["delete table inet network_accessibility"]).status != 0)
        let adopted = try NftablesBackEnd(adopting: kept)
        try adopted.replace(with: EnforcementPlan(links: [.cellular: ["wwan1"]]))
        #expect(try await namespace.elements(of: "cellular") == ["wwan1"])
        #expect(try await namespace.tableHandle() != handle)
        adopted.remove()
        #expect(try await namespace.nft("list ruleset") == "")
    }

    @Test @Loop func `the kernel keeps a table for the next owner where there is no manager`() async throws {
        let namespace = try await NetworkNamespace()
        var backEnd: NftablesBackEnd? = try namespace.backEnd(keptBy: .kernel)
        try backEnd?.replace(with: EnforcementPlan(links: [.cellular: ["wwan0"]]))
        backEnd = nil
        #expect(try await namespace.elements(of: "cellular") == ["wwan0"])
        let next = try namespace.backEnd(keptBy: .kernel)
        try next.replace(with: EnforcementPlan(links: [.cellular: ["wwan1"]]))
        #expect(try await namespace.elements(of: "cellular") == ["wwan1"])
        try await namespace.nft("flush", "ruleset")
        #expect(try await namespace.elements(of: "cellular") == ["wwan1"])
    }

    @Test @Loop func `K24: an administrator can list the table of a busy machine`() async throws {
        let namespace = try await NetworkNamespace()
        let groups = try ControlGroups()
        let backEnd = try namespace.backEnd()
        let names = (0..<200).map { "app.slice/app-a-\($0).scope" }
        let ids = try names.map { try groups.id(of: $0) }
        try backEnd.replace(with: EnforcementPlan(groups: [.noCellular: Set(ids[..<50])]))
        // For each element nft(8) walks over all that is below /sys/fs/cgroup; trees of version 1 are not there nowadays.
        let command = """
            umount -l /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup
            exec nft list table inet \(NfTable.ownName)
            """
        let text = try await run(
            "nsenter", "--net=/run/netns/" + namespace.name, "unshare", "--mount", "sh", "-c", command
        ).output
        // By their names, which a tool finds by the number.
        for (number, name) in names.enumerated() { #expect(text.contains(name + "\"") == (number < 50), "\(name)") }
        withExtendedLifetime(backEnd) {}
    }

    /// Tools have crashed over the words with which newer ones describe their sets.
    @Test @Loop func `K22: sets that a newer tool has made are nobody's trouble`() async throws {
        let namespace = try await NetworkNamespace()
        let backEnd = try namespace.backEnd()
        let plan = EnforcementPlan(links: [.cellular: ["wwan0"]])
        try backEnd.replace(with: plan)
        var writer = NetlinkWriter()
        let border = nfgenmsg(
            nfgen_family: 0, version: 0, res_id: UInt16(NFNL_SUBSYS_NFTABLES).bigEndian)
        writer.appendMessage(Int(NLMSG_MIN_TYPE), border)
        writer.appendNf(NFT_MSG_NEWTABLE, flags: NLM_F_CREATE) { $0.append(NFTA_TABLE_NAME, text: "foreign") }
        writer.appendNf(NFT_MSG_NEWSET, flags: NLM_F_CREATE | NLM_F_ACK) {
            $0.append(NFTA_SET_TABLE, text: "foreign")
            $0.append(NFTA_SET_NAME, text: "newer")
            $0.append(NFTA_SET_KEY_TYPE, number: 46)
            $0.append(NFTA_SET_KEY_LEN, number: 8)
            $0.append(NFTA_SET_ID, number: 1)
            // The type of the key by an expression (3), of a kind (0) that no tool knows, with details (1).
            $0.append(NFTA_SET_USERDATA, bytes: [3, 12, 0, 4, 0xff, 0, 0, 0, 1, 4, 0xff, 0xff, 0xff, 0xff])
        }
        writer.appendMessage(Int(NLMSG_MIN_TYPE) + 1, border)
        let socket = try namespace.inside { try NetlinkSocket(NETLINK_NETFILTER) }
        _ = try socket.send(&writer)
        guard case .datagram(let bytes) = try socket.receive() else { throw SystemError(EPROTO, "no answer") }
        let codes = NetlinkMessages(bytes).map { $0.payload.value(Int32.self) }
        #expect(codes == [0], "the foreign set is there")
        try backEnd.change(from: plan, to: EnforcementPlan(groups: [.off: [1 << 40]]))
        #expect(try backEnd.traffic() == [:])
        try backEnd.replace(with: EnforcementPlan(levels: 9))
        backEnd.remove()
    }

    @Test @Loop func `only a netlink socket of netfilter is adopted`() throws {
        func adopt(_ number: Int32) throws(SystemError) {
            _ = try NftablesBackEnd(adopting: Descriptor("open") { number })
        }
        #expect(throws: SystemError.self) { try adopt(eventfd(0, 0)) }
        #expect(throws: SystemError(EPROTOTYPE, "netlink socket")) {
            try adopt(socket(AF_NETLINK, Int32(SOCK_RAW.rawValue), NETLINK_ROUTE))
        }
    }
}

extension NetworkNamespace {
    /// A back end whose table is in this namespace.
    func backEnd(keptBy keeper: NftablesBackEnd.Keeper = .descriptorStore) throws -> NftablesBackEnd {
        try inside { try NftablesBackEnd(keptBy: keeper) }
    }

    /// Runs nft(8) inside; `ip netns exec` would hide the control groups from it.
    func nftResult(_ arguments: [String]) async throws -> CommandResult {
        try await run(["nsenter", "--net=/run/netns/" + name, "nft"] + arguments, allowsFailure: true)
    }

    /// What nft(8) prints.
    @discardableResult
    func nft(_ arguments: String...) async throws -> String {
        try await nft(arguments)
    }

    /// What nft(8) prints.
    func nft(_ arguments: [String]) async throws -> String {
        let result = try await nftResult(arguments)
        try #require(result.status == 0, "\(result.errors)")
        return result.output
    }

    /// The elements of a set; groups that do not exist are bare numbers.
    func elements(of set: String) async throws -> Set<String> {
        let text = try await nft("list", "set", "inet", NfTable.ownName, set)
        guard let start = text.firstRange(of: "elements = {"), let end = text.lastIndex(of: "}") else { return [] }
        let inner = text[start.upperBound..<end].prefix { $0 != "}" }
        return Set(
            inner.split { ", \n\t".contains($0) }.map { $0.filter { $0 != "\"" } }.filter { !$0.isEmpty })
    }

    /// The kernel's number of the table: another one if it was made anew.
    func tableHandle() async throws -> String {
        let text = try await nft("-a", "list", "table", "inet", NfTable.ownName)
        return try #require(text.firstMatch(of: /table inet network_accessibility \{.*handle (\d+)/)).output.1
            .description
    }
}
