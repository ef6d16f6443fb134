// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import PolicyStore

/// Something that is not as it could be, and what a person can do about it.
struct Advice: Equatable {
    /// True if something is wrong; false for what is good to know.
    let isFault: Bool
    /// What is the matter: a sentence.
    let matter: String
    /// What to do: a command, or words.
    let remedy: String

    static func fault(_ matter: String, _ remedy: String) -> Advice {
        Advice(isFault: true, matter: matter, remedy: remedy)
    }

    static func note(_ matter: String, _ remedy: String) -> Advice {
        Advice(isFault: false, matter: matter, remedy: remedy)
    }
}

extension Findings {
    /// What a person can do: what is wrong first.
    var advice: [Advice] {
        let all = serviceAdvice + fileAdvice + (service == .runs ? sourceAdvice + answerAdvice + notes : [])
        return all.filter(\.isFault) + all.filter { !$0.isFault }
    }

    // MARK: The service and its files

    private var serviceAdvice: [Advice] {
        let unit = "network-accessibility"
        switch service {
        case .runs: return []
        case .absent:
            return [.fault("The service does not run, and the bus cannot start it.", "systemctl enable --now \(unit)")]
        case .fails(let words):
            return [.fault("The service does not answer: \(words).", "systemctl status \(unit)")]
        case .noBus(let words): return [.fault("There is no bus: \(words).", "systemctl start dbus.socket")]
        }
    }

    private var fileAdvice: [Advice] {
        guard !files.problems.isEmpty else { return [] }
        return [
            .fault(
                "Not everything in the files of policy and settings can be used; see above.",
                "mend the lines that are named there; that counts as soon as the file is written")
        ]
    }

    // MARK: The sources

    private var sourceAdvice: [Advice] {
        explanation.sources.compactMap { state in
            let manual = SourceManual.of(state.source)
            if state.status == "not answering" {
                let remedy = manual.unit.map { "systemctl restart \($0)" } ?? "see the log of \(manual.name)"
                return .fault("\(manual.name) does not answer.", remedy)
            }
            guard state.status.hasPrefix("refused") else { return nil }
            return .fault(
                "\(manual.name) does not talk to the service: \(state.status).",
                "see whether the policy of the bus lets the service ask: /usr/share/dbus-1/system.d, /etc/dbus-1/system.d"
            )
        }
    }

    // MARK: The answer

    private var answerAdvice: [Advice] {
        let view = explanation.view
        switch view.reason {
        case .otherNamespace:
            return [
                .fault(
                    "This process has a network of its own, of which the service knows nothing.",
                    "ask from a process in the network of the host")
            ]
        case .sandboxDenied:
            return [
                .fault(
                    "The sandbox of \(appName) has no network.",
                    "flatpak override --user --share=network \(explanation.app.id)")
            ]
        case .cellularDenied, .meteredDenied, .networkDenied: return [policyAdvice(view.reason)]
        case .undecided:
            return [.fault("Nobody has decided yet what \(appName) may use.", setPolicy(.all))]
        case .captivePortal:
            return [
                .fault(
                    "The network wants a sign-in first\(said("Connectivity", "portal")).",
                    "open any web page in a browser, and sign in")
            ]
        case .limited:
            return [
                .fault(
                    "Not everything can be reached\(said("Connectivity", "limited")).",
                    "look whether the router or the modem is online; ask whoever runs this network")
            ]
        default: return explanation.paths.isEmpty ? [pathAdvice(view)] : []
        }
    }

    /// What to do where there is no path.
    private func pathAdvice(_ view: AccessView) -> Advice {
        if explanation.isAirplaneMode {
            let source = sayer("AirplaneMode", "yes")
            return .fault(
                "Airplane mode is on\(source.map { " in \($0.name)" } ?? "").",
                source?.airplaneModeOff ?? "rfkill unblock all")
        }
        if explanation.mobileData == MobileData.off.word {
            let source = sayer("MobileData", MobileData.off.word)
            return .fault(
                "Mobile data is switched off\(source.map { " in \($0.name)" } ?? "").",
                source?.mobileDataOn ?? "switch it on where it was switched off")
        }
        if view.connectivity == .local {
            return .fault(
                "This device has an address, but no route to the internet.",
                "ip route; ask whoever runs this network if it shows no default route")
        }
        return .fault("There is no network.", "plug a cable in, or join a Wi-Fi network")
    }

    private func policyAdvice(_ reason: Reason) -> Advice {
        let what =
            switch reason {
            case .cellularDenied: "mobile data"
            case .meteredDenied: "metered networks"
            default: "the network"
            }
        let policy = explanation.policy
        let kind = rule.map { $0.isDefault ? "the default" : "a rule" } ?? "a rule"
        let place = rule.map { " in \($0.file)" } ?? ""
        let matter = "\(appName) may not use \(what), by \(kind)\(place)"
        if policy.isLocked || policy.origin == .locked {
            return .fault(matter + ", which is locked.", "ask the administrator to change it")
        }
        // Only what is one's own can be taken away; what others have said is overridden.
        guard policy.origin == .person, let rule else { return .fault(matter + ".", setPolicy(.all)) }
        return .fault(
            matter + ".",
            rule.isDefault ? "netaccess policy default reset" : "netaccess policy reset \(explanation.app.id)")
    }

    private func setPolicy(_ policy: Policy) -> String {
        explanation.app.isIdentified && rule?.isDefault != true
            ? "netaccess policy set \(explanation.app.id) \(policy.word)" : "netaccess policy default \(policy.word)"
    }

    private var appName: String {
        explanation.app.isIdentified ? explanation.app.id : "An app that is not identified"
    }

    /// Who says something that was believed.
    private func sayer(_ fact: String, _ value: String) -> SourceManual? {
        explanation.statements.first { $0.fact.hasSuffix(fact) && $0.value == value && !$0.isOverruled }
            .map { SourceManual.of($0.source) }
    }

    private func said(_ fact: String, _ value: String) -> String {
        sayer(fact, value).map { ", says \($0.name)" } ?? ""
    }

    // MARK: Good to know

    private var notes: [Advice] { identityNote + enforcementNote + linkNotes }

    /// Why a policy that forbids something binds only those who ask.
    private var enforcementNote: [Advice] {
        guard [.off, .noCellular, .noMetered].contains(explanation.policy.policy), let status = explanation.enforcement
        else { return [] }
        if status != "live" {
            return [
                .note(
                    "The kernel does not enforce the policy: \(status).",
                    "apps are told all the same; docs/enforcement.md says what enforcement needs")
            ]
        }
        guard explanation.app.isIdentified, !explanation.isEnforced else { return [] }
        return [
            .note(
                "The policy of \(appName) is not enforced: it does not run in a unit of its own.",
                "start it from the desktop, or by: systemd-run --user --scope --unit=app-NAME-1 COMMAND")
        ]
    }

    private var identityNote: [Advice] {
        guard !explanation.app.isIdentified else { return [] }
        let matter = "What runs this command is no app that the service knows: the default policy counts."
        guard hasServiceManager else {
            return [
                .note(
                    matter,
                    "apps are known by their units: log in where systemd runs a user session, or ask for an app: "
                        + "netaccess status --app=ID")
            ]
        }
        return [
            .note(
                matter,
                "start it from the desktop, or as an app of some name: "
                    + "systemd-run --user --scope --unit=app-NAME-1 COMMAND")
        ]
    }

    /// Links that a description would help.
    private var linkNotes: [Advice] {
        let unknown = Set(explanation.paths.filter { $0.transport == .other }.map(\.interface)).sorted()
        let disputed = Set(explanation.statements.filter { $0.isOverruled && !$0.subject.isEmpty }.map(\.subject))
            .subtracting(unknown).sorted()
        func remedy(_ link: String) -> String {
            "a section [Link \(link)] with Transport= or Metered= in /etc/network-accessibility/policy.d/links.conf "
                + "has the last word"
        }
        return unknown.map { .note("Nobody knows what \($0) is.", remedy($0)) }
            + disputed.map {
                .note("The sources do not agree about \($0).", "if the wrong one was believed: " + remedy($0))
            }
    }
}
