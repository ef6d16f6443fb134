// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import PolicyStore

extension Findings {
    /// The report for a person: sections of aligned rows, and at the end what can be done.
    var report: String {
        var sections: [(heading: String, body: String)] = [("Service", Words.table(serviceRows))]
        if service == .runs {
            sections.append(("This app", Words.table(appRows)))
            sections.append(("Network", Words.table(networkRows)))
            sections.append(("Sources", sourceTable))
            if !explanation.statements.isEmpty { sections.append(("Who says what", statementTable)) }
        }
        sections.append(("Files", fileText))
        sections.append(("What can be done", adviceText))
        return sections.map { $0.heading + "\n" + $0.body }.joined(separator: "\n\n")
    }

    // MARK: Sections

    private var serviceRows: [(String, String)] {
        let state =
            switch service {
            case .runs: Style.good("runs")
            case .absent: Style.bad("does not run")
            case .fails(let words): Style.bad("does not answer") + ": " + words
            case .noBus(let words): Style.bad("no bus") + ": " + words
            }
        guard let hasPolkit else { return [("state", state)] }
        let polkit = hasPolkit ? "there" : "not there: only root may change the rules of others"
        return [("state", state), ("polkit", polkit)]
    }

    private var appRows: [(String, String)] {
        let app = explanation.app
        let view = explanation.view
        let evidence = Text.printable(explanation.identityEvidence)
        let identity =
            app.isIdentified
            ? [("app", app.id), ("known by", "\(evidence) (\(explanation.identityRule))")]
            : [("app", "not identified: \(evidence)")]
        let place = rule.map { "\(Text.printable($0.file)), as \($0.isDefault ? "the default" : "a rule for the app")" }
        return [("answer", Words.style(view)(Words.headline(view)))] + identity + [
            ("sandbox", Words.yesOrNo(explanation.isSandboxed)), ("policy", explanation.policy.line),
        ] + (place.map { [("stands in", $0)] } ?? [])
    }

    private var networkRows: [(String, String)] {
        let families = ["IPv4", "IPv6"].map { family in
            let path = explanation.paths.first { $0.family == family }
            return (family, path.map(Self.line) ?? "no path")
        }
        return families + [
            ("connectivity", explanation.view.connectivity.word),
            ("airplane mode", Words.yesOrNo(explanation.isAirplaneMode)), ("mobile data", explanation.mobileData),
            ("roaming", Words.yesOrNo(explanation.isRoaming)),
        ]
    }

    private static func line(_ path: Explanation.Path) -> String {
        let details = [path.transport.word, path.isTunnel ? "tunnel" : nil, path.isMetered ? "metered" : nil]
        return "\(path.interface) (\(details.compactMap(\.self).joined(separator: ", ")))"
    }

    private var sourceTable: String {
        let disabled = files.disabledSources.map { [$0.rawValue, "switched off in the settings"] }
        let rows = explanation.sources.map { [$0.source, $0.status] } + disabled
        return Text.indented(
            Text.table(["SOURCE", "STATUS"], rows) { row in
                switch row[1] {
                case "live": .good
                case let status where status == "not answering" || status.hasPrefix("refused"): .bad
                default: .faint
                }
            })
    }

    private var statementTable: String {
        let rows = explanation.statements.map { statement in
            [
                statement.subject.isEmpty ? "device" : statement.subject, statement.fact, statement.source,
                statement.value,
                statement.isOverruled
                    ? "overruled: \(statement.believed) by \(statement.believedSource)" : statement.outcome,
            ]
        }
        let ordered = rows.enumerated().sorted { one, other in
            (one.element[0], one.element[1], one.offset) < (other.element[0], other.element[1], other.offset)
        }
        return Text.indented(
            Text.table(["ABOUT", "FACT", "SOURCE", "VALUE", "OUTCOME"], ordered.map(\.element)) { row in
                row[4].hasPrefix("overruled") ? .doubtful : ["idle", "noted"].contains(row[4]) ? .faint : nil
            })
    }

    private var fileText: String {
        let problems = files.problems.map { "  " + Style.bad(Text.printable($0.description)) }
        let unreadable = files.unreadable.map { "  not looked at, since you may not read it: \(Text.printable($0))" }
        let summary = files.problems.isEmpty ? "nothing is wrong" : "faults: \(files.problems.count)"
        return (["  files of policy and settings: \(files.count), \(summary)"] + problems + unreadable)
            .joined(separator: "\n")
    }

    private var adviceText: String {
        let advice = advice
        let lines = advice.map { advice in
            let style = advice.isFault ? Style.bad : .doubtful
            return "  " + style(Text.printable(advice.matter)) + "\n      " + Text.printable(advice.remedy)
        }
        let isWell = !advice.contains(where: \.isFault)
        return ((isWell ? ["  " + Style.good("Nothing is wrong.")] : []) + lines).joined(separator: "\n")
    }

    // MARK: For programs

    var json: JSON {
        let state =
            switch service {
            case .runs: "runs"
            case .absent: "absent"
            case .fails: "fails"
            case .noBus: "no-bus"
            }
        return .object([
            ("service", .string(state)), ("polkit", hasPolkit.map { .boolean($0) } ?? .null),
            ("explanation", .object(explanation.entries.map { ($0.key, JSON($0.value)) })),
            ("rule_file", rule.map { .string($0.file) } ?? .null),
            ("files", .number("\(files.count)")), ("problems", .array(files.problems.map(\.json))),
            ("unreadable", .array(files.unreadable.map(JSON.string))),
            ("disabled_sources", .array(files.disabledSources.map { .string($0.rawValue) })),
            (
                "advice",
                .array(
                    advice.map { advice in
                        .object([
                            ("fault", .boolean(advice.isFault)), ("matter", .string(advice.matter)),
                            ("remedy", .string(advice.remedy)),
                        ])
                    })
            ),
        ])
    }

    var exitStatus: ExitStatus {
        if service != .runs { return .noService }
        return advice.contains(where: \.isFault) ? .refused : .success
    }
}

extension Problem {
    var json: JSON {
        .object([
            ("file", .string(file)), ("line", line.map { .number("\($0)") } ?? .null), ("message", .string(message)),
        ])
    }
}
