// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import PolicyStore
import TestSupport
import Testing

@testable import CommandSupport

/// What `netaccess doctor` makes of what was found.
@Suite
struct DoctorTests {
    /// What a service says when all is well.
    private static let well: [(key: String, value: Value)] = [
        ("IdentityRule", .string("app-unit")), ("IdentityEvidence", .string("app-org.a.B-7.scope")),
        ("Sandboxed", .boolean(false)), ("Uid", .uint64(1000)), ("AppId", .string("org.a.B")),
        ("Policy", .string("all")), ("PolicyOrigin", .string("default")), ("PolicyLocked", .boolean(false)),
        ("IPv4Path", .boolean(true)), ("IPv4Interface", .string("wlan0")), ("IPv4Transport", .string("wifi")),
        ("IPv4Tunnel", .boolean(false)), ("IPv4Metered", .boolean(false)), ("IPv6Path", .boolean(false)),
        ("Connectivity", .string("full")), ("AirplaneMode", .boolean(false)), ("MobileData", .string("none")),
        ("Roaming", .boolean(false)), ("State", .string("accessible")), ("Reachable", .boolean(true)),
        ("Reason", .string("none")), ("Sources", .strings(["kernel", "networkmanager"])),
        ("SourceStatus", .vardict([("networkmanager", .string("live"))])), ("Account", rows([])),
        ("Enforcement", .string("live")), ("Enforced", .boolean(true)),
    ]

    private static func rows(_ rows: [[String]]) -> Value {
        let keys = ["Source", "Interface", "Fact", "Value", "Outcome", "Believed", "By"]
        return .array(of: .vardict, rows.map { .vardict(zip(keys, $0).map { ($0, .string($1)) }) })
    }

    private static func findings(
        _ changes: [String: Value] = [:], _ change: (inout Findings) -> Void = { _ in }
    ) -> Findings {
        var findings = Findings()
        findings.explanation = Explanation(well.map { ($0.key, changes[$0.key] ?? $0.value) })
        findings.hasPolkit = true
        change(&findings)
        return findings
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var says: [String: Value] = [:]
        var change: @Sendable (inout Findings) -> Void = { _ in }
        /// Faults begin with "! ".
        let advice: [String]
        var status = ExitStatus.refused
    }

    private static let offline: [String: Value] = [
        "IPv4Path": .boolean(false), "Connectivity": .string("none"), "Reachable": .boolean(false),
        "Reason": .string("offline"),
    ]
    private static func offline(_ more: [String: Value]) -> [String: Value] { offline.merging(more) { $1 } }

    private static func denied(_ reason: String, _ origin: String, locked: Bool = false) -> [String: Value] {
        [
            "State": .string("restricted"), "Reachable": .boolean(false), "Reason": .string(reason),
            "Policy": .string("off"), "PolicyOrigin": .string(origin), "PolicyLocked": .boolean(locked),
        ]
    }

    static let table = [
        Row(testDescription: "all is well", advice: [], status: .success),
        // Enforcement.
        Row(
            testDescription: "nothing to enforce",
            says: ["Enforcement": .string("no"), "Enforced": .boolean(false)], advice: [], status: .success),
        Row(
            testDescription: "a policy that nobody enforces",
            says: [
                "Policy": .string("no-cellular"), "Enforcement": .string("needs CAP_NET_ADMIN"),
                "Enforced": .boolean(false),
            ],
            advice: [
                "The kernel does not enforce the policy: needs CAP_NET_ADMIN. -> apps are told all the same; "
                    + "docs/enforcement.md says what enforcement needs"
            ], status: .success),
        Row(
            testDescription: "an app without a unit of its own",
            says: ["Policy": .string("no-metered"), "Enforced": .boolean(false)],
            advice: [
                "The policy of org.a.B is not enforced: it does not run in a unit of its own. -> start it from the desktop, "
                    + "or by: systemd-run --user --scope --unit=app-NAME-1 COMMAND"
            ], status: .success),
        // The service.
        Row(
            testDescription: "no bus", change: { $0.service = .noBus("no such file") },
            advice: ["! There is no bus: no such file. -> systemctl start dbus.socket"], status: .noService),
        Row(
            testDescription: "no service", change: { $0.service = .absent },
            advice: [
                "! The service does not run, and the bus cannot start it. -> systemctl enable --now network-accessibility"
            ], status: .noService),
        Row(
            testDescription: "a service that hangs", change: { $0.service = .fails("no answer in time") },
            advice: ["! The service does not answer: no answer in time. -> systemctl status network-accessibility"],
            status: .noService),
        // The sources.
        Row(
            testDescription: "managers that hang or refuse, and others that do not matter",
            says: [
                "SourceStatus": .vardict([
                    ("networkmanager", .string("not answering")), ("connman", .string("not answering")),
                    ("rfkill", .string("refused: EACCES")), ("iwd", .string("absent")), ("networkd", .string("asking")),
                    ("newer", .string("not answering")),
                ])
            ],
            advice: [
                "! NetworkManager does not answer. -> systemctl restart NetworkManager",
                "! ConnMan does not answer. -> systemctl restart connman",
                "! rfkill does not talk to the service: refused: EACCES. -> see whether the policy of the bus lets the "
                    + "service ask: /usr/share/dbus-1/system.d, /etc/dbus-1/system.d",
                "! newer does not answer. -> see the log of newer",
            ]),
        // The network.
        Row(
            testDescription: "offline", says: offline,
            advice: ["! There is no network. -> plug a cable in, or join a Wi-Fi network"]),
        Row(
            testDescription: "an address and no route", says: offline(["Connectivity": .string("local")]),
            advice: [
                "! This device has an address, but no route to the internet. -> ip route; ask whoever runs this network "
                    + "if it shows no default route"
            ]),
        Row(
            testDescription: "mobile data is off, and who says so",
            says: offline([
                "MobileData": .string("off"), "Reason": .string("cellular-off"),
                "Account": rows([
                    ["modemmanager", "", "MobileData", "on", "overruled", "off", "networkmanager"],
                    ["networkmanager", "", "MobileData", "off", "used", "", ""],
                ]),
            ]), advice: ["! Mobile data is switched off in NetworkManager. -> nmcli radio wwan on"]),
        Row(
            testDescription: "mobile data is off, and there is Wi-Fi", says: ["MobileData": .string("off")], advice: [],
            status: .success),
        Row(
            testDescription: "airplane mode, by rfkill",
            says: offline([
                "AirplaneMode": .boolean(true), "MobileData": .string("off"), "Reason": .string("airplane-mode"),
                "Account": rows([["rfkill", "", "AirplaneMode", "yes", "used", "", ""]]),
            ]), advice: ["! Airplane mode is on in rfkill. -> rfkill unblock all"]),
        Row(
            testDescription: "airplane mode, by nobody who is known",
            says: offline(["AirplaneMode": .boolean(true), "Reason": .string("airplane-mode")]),
            advice: ["! Airplane mode is on. -> rfkill unblock all"]),
        Row(
            testDescription: "a portal",
            says: [
                "Connectivity": .string("portal"), "Reason": .string("captive-portal"),
                "Account": rows([["connman", "wlan0", "IPv4Connectivity", "portal", "used", "", ""]]),
            ],
            advice: [
                "! The network wants a sign-in first, says ConnMan. -> open any web page in a browser, and sign in"
            ]),
        Row(
            testDescription: "limited", says: ["Connectivity": .string("limited"), "Reason": .string("limited")],
            advice: [
                "! Not everything can be reached. -> look whether the router or the modem is online; ask whoever runs "
                    + "this network"
            ]),
        // The policy.
        Row(
            testDescription: "one's own rule", says: denied("network-denied", "person"),
            change: { $0.rule = PolicyPlace("/var/lib/x/1000.conf", isDefault: false) },
            advice: [
                "! org.a.B may not use the network, by a rule in /var/lib/x/1000.conf. -> netaccess policy reset org.a.B"
            ]),
        Row(
            testDescription: "one's own default", says: denied("cellular-denied", "person"),
            change: { $0.rule = PolicyPlace("/var/lib/x/1000.conf", isDefault: true) },
            advice: [
                "! org.a.B may not use mobile data, by the default in /var/lib/x/1000.conf. -> netaccess policy default reset"
            ]),
        Row(
            testDescription: "the administrator's rule", says: denied("metered-denied", "admin"),
            change: { $0.rule = PolicyPlace("/etc/x/a.conf", isDefault: false) },
            advice: [
                "! org.a.B may not use metered networks, by a rule in /etc/x/a.conf. -> netaccess policy set org.a.B all"
            ]),
        Row(
            testDescription: "a locked rule", says: denied("network-denied", "locked", locked: true),
            change: { $0.rule = PolicyPlace("/etc/x/a.conf", isDefault: false) },
            advice: [
                "! org.a.B may not use the network, by a rule in /etc/x/a.conf, which is locked. -> ask the administrator "
                    + "to change it"
            ]),
        Row(
            testDescription: "a rule in a file that may not be read", says: denied("network-denied", "vendor"),
            advice: ["! org.a.B may not use the network, by a rule. -> netaccess policy set org.a.B all"]),
        Row(
            testDescription: "not decided yet", says: ["State": .string("unknown"), "Reason": .string("undecided")],
            advice: ["! Nobody has decided yet what org.a.B may use. -> netaccess policy set org.a.B all"]),
        Row(
            testDescription: "a sandbox without a network",
            says: ["State": .string("restricted"), "Reason": .string("sandbox-denied")],
            advice: ["! The sandbox of org.a.B has no network. -> flatpak override --user --share=network org.a.B"]),
        Row(
            testDescription: "another network namespace",
            says: ["State": .string("unknown"), "Reason": .string("other-namespace")],
            advice: [
                "! This process has a network of its own, of which the service knows nothing. -> ask from a process in the "
                    + "network of the host"
            ]),
        // The files.
        Row(
            testDescription: "a fault in a file", change: { $0.files.problems = [Problem(file: "f", message: "m")] },
            advice: [
                "! Not everything in the files of policy and settings can be used; see above. -> mend the lines that are "
                    + "named there; that counts as soon as the file is written"
            ]),
        // Good to know.
        Row(
            testDescription: "a shell that is no app", says: ["AppId": .string("")],
            advice: [
                "What runs this command is no app that the service knows: the default policy counts. -> start it from the "
                    + "desktop, or as an app of some name: systemd-run --user --scope --unit=app-NAME-1 COMMAND"
            ], status: .success),
        Row(
            testDescription: "the same without systemd", says: ["AppId": .string("")],
            change: { $0.hasServiceManager = false },
            advice: [
                "What runs this command is no app that the service knows: the default policy counts. -> apps are known by "
                    + "their units: log in where systemd runs a user session, or ask for an app: netaccess status --app=ID"
            ], status: .success),
        Row(
            testDescription: "links of which nobody knows, or about which there is strife",
            says: [
                "IPv4Transport": .string("other"),
                "Account": rows([
                    ["networkmanager", "wlan0", "Transport", "ethernet", "overruled", "other", "kernel"],
                    ["networkmanager", "wg0", "Metered", "no", "overruled", "yes", "connman"],
                    ["connman", "wg0", "Metered", "yes", "used", "", ""],
                    ["connman", "", "AirplaneMode", "yes", "overruled", "no", "kernel"],
                ]),
            ],
            advice: [
                "Nobody knows what wlan0 is. -> a section [Link wlan0] with Transport= or Metered= in "
                    + "/etc/network-accessibility/policy.d/links.conf has the last word",
                "The sources do not agree about wg0. -> if the wrong one was believed: a section [Link wg0] with Transport= "
                    + "or Metered= in /etc/network-accessibility/policy.d/links.conf has the last word",
            ], status: .success),
        Row(
            testDescription: "what is wrong comes first", says: offline(["AppId": .string("")]),
            change: { $0.files.problems = [Problem(file: "f", message: "m")] },
            advice: [
                "! Not everything in the files of policy and settings can be used; see above. -> mend the lines that are "
                    + "named there; that counts as soon as the file is written",
                "! There is no network. -> plug a cable in, or join a Wi-Fi network",
                "What runs this command is no app that the service knows: the default policy counts. -> start it from the "
                    + "desktop, or as an app of some name: systemd-run --user --scope --unit=app-NAME-1 COMMAND",
            ]),
    ]

    @Test(arguments: table) func `what can be done, and the exit status`(row: Row) {
        let findings = Self.findings(row.says, row.change)
        #expect(
            findings.advice.map { ($0.isFault ? "! " : "") + $0.matter + " -> " + $0.remedy } == row.advice)
        #expect(findings.exitStatus == row.status)
        for advice in findings.advice { #expect(findings.report.contains(advice.remedy)) }
        #expect(findings.report.contains("Nothing is wrong.") == (row.status == .success))
    }

    @Test func `the whole report, aligned`() {
        let findings = Self.findings([
            "PolicyOrigin": .string("admin"),
            "SourceStatus": .vardict([("networkmanager", .string("live")), ("iwd", .string("absent"))]),
            "Account": Self.rows([
                ["kernel", "wlan0", "Transport", "wifi", "used", "", ""],
                ["networkmanager", "wlan0", "Transport", "ethernet", "overruled", "wifi", "kernel"],
                ["networkmanager", "", "AirplaneMode", "no", "used", "", ""],
                ["networkmanager", "eth0", "Transport", "ethernet", "idle", "", ""],
            ]),
        ]) { findings in
            findings.rule = PolicyPlace("/etc/x/a.conf", isDefault: true)
            findings.files = Findings.Files(
                count: 2, problems: [Problem(file: "/etc/x/a.conf", line: 3, message: "what is \u{1B}[31mthis?")],
                unreadable: ["/var/lib/x"], disabledSources: [.connMan])
        }
        #expect(
            findings.report == """
                Service
                  state   runs
                  polkit  there

                This app
                  answer     The network is open to this app.
                  app        org.a.B
                  known by   app-org.a.B-7.scope (app-unit)
                  sandbox    no
                  policy     all (admin)
                  stands in  /etc/x/a.conf, as the default

                Network
                  IPv4           wlan0 (wifi)
                  IPv6           no path
                  connectivity   full
                  airplane mode  no
                  mobile data    none
                  roaming        no

                Sources
                  SOURCE          STATUS
                  kernel          live
                  networkmanager  live
                  iwd             absent
                  connman         switched off in the settings

                Who says what
                  ABOUT   FACT          SOURCE          VALUE     OUTCOME
                  device  AirplaneMode  networkmanager  no        used
                  eth0    Transport     networkmanager  ethernet  idle
                  wlan0   Transport     kernel          wifi      used
                  wlan0   Transport     networkmanager  ethernet  overruled: wifi by kernel

                Files
                  files of policy and settings: 2, faults: 1
                  /etc/x/a.conf:3: what is [31mthis?
                  not looked at, since you may not read it: /var/lib/x

                What can be done
                  Not everything in the files of policy and settings can be used; see above.
                      mend the lines that are named there; that counts as soon as the file is written
                  The sources do not agree about wlan0.
                      if the wrong one was believed: a section [Link wlan0] with Transport= or Metered= in \
                /etc/network-accessibility/policy.d/links.conf has the last word
                """)
    }

    @Test func `a service of another version, which says nothing that is known, is no obstacle`() {
        let strange: [String: Value] = Dictionary(uniqueKeysWithValues: Self.well.map { ($0.key, Value.double(0)) })
        for findings in [
            Self.findings(strange), Self.findings { $0.explanation = Explanation([("Other", .string("x"))]) },
        ] {
            #expect(findings.report.contains("not identified"))
            #expect(findings.exitStatus == .refused)
            #expect(findings.json.text.hasPrefix(#"{"service":"runs","polkit":true,"explanation":{"#))
        }
    }

    @Test func `for programs there is everything that the service says, and what can be done`() {
        let findings = Self.findings(Self.offline) { $0.rule = PolicyPlace("/f", isDefault: false) }
        let json = findings.json.text
        #expect(json.contains(#""Reason":"offline""#))
        #expect(json.contains(#""rule_file":"/f""#))
        #expect(
            json.contains(
                #""advice":[{"fault":true,"matter":"There is no network.","remedy":"plug a cable in, or join a Wi-Fi network"}]"#
            ))
    }
}
