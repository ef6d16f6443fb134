// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import Desktop
internal import EventLoop

extension Command {
    static let usage = Command(
        name: "usage", summary: "Show how much mobile data your apps have used",
        details: [
            "Counted is what the kernel has seen of each app, over cellular and over metered links, by days of the",
            "machine's time zone. It is about what the operator of the network counts, and not the same.",
        ],
        options: [
            Option(name: "month", parameter: .month, summary: "show this month instead of the present one"),
            Option(name: "app", parameter: .appID, summary: "show the days of this app"), .uid, .json,
            Option(name: "csv", summary: "print a line for each day and app, for spreadsheets"),
        ],
        statuses: doneStatuses,
        examples: [
            Example(line: "netaccess usage", meaning: "the apps of this month, the most mobile data first"),
            Example(line: "netaccess usage --month=2026-11 --csv", meaning: "all days of a month"),
            Example(line: "netaccess usage --app=org.mozilla.firefox", meaning: "the days of one app"),
        ]
    ) { arguments in
        await withPerson(arguments) { person throws(CallError) in
            let usage = try await person.usage(in: arguments.values["month"], of: arguments.values["app"])
            if arguments.has("csv") {
                Console.print(csv(usage))
            } else if arguments.has("json") {
                Console.print(JSON.array(byApp(usage).map(json)).text)
            } else if arguments.has("app") {
                Console.print(table("DAY", rows: usage.map { ([$0.day], $0.traffic) }))
            } else {
                let desktop = DesktopApps()
                let apps = byApp(usage).map { app in
                    ([app.id.isEmpty ? "(other apps)" : desktop.name(of: app.id), app.id], app.total)
                }
                Console.print(table("APP", "ID", rows: apps))
            }
            return .success
        }
    }

    // MARK: Sums

    /// What one app has used.
    private struct AppUsage {
        let id: String
        let days: [UsageRecord]
        let total: Traffic
    }

    /// The most mobile data first, then the most of what is metered.
    private static func byApp(_ usage: [UsageRecord]) -> [AppUsage] {
        let apps = Dictionary(grouping: usage, by: \.id).map { id, days in
            AppUsage(id: id, days: days, total: days.reduce(into: Traffic()) { $0 += $1.traffic })
        }
        func rank(_ app: AppUsage) -> (UInt64, UInt64) { (app.total.cellular, app.total.metered) }
        return apps.sorted { rank($0) == rank($1) ? $0.id < $1.id : rank($0) > rank($1) }
    }

    // MARK: Forms

    /// A table with a bar for each row, where a person looks.
    private static func table(_ headings: String..., rows: [([String], Traffic)]) -> String {
        let most = rows.map { max($0.1.cellular, $0.1.metered) }.max() ?? 0
        let cells = rows.map { names, traffic in
            names
                + [traffic.cellular, traffic.cellularSent, traffic.cellularReceived, traffic.metered].map(Words.bytes)
                + (Console.isTerminal ? [Text.bar(max(traffic.cellular, traffic.metered), of: most)] : [])
        }
        let bar = Console.isTerminal ? [""] : []
        return Text.table(headings + ["CELLULAR", "SENT", "RECEIVED", "METERED"] + bar, cells)
    }

    private static func csv(_ usage: [UsageRecord]) -> String {
        let head = "day,app,cellular_sent,cellular_received,metered_sent,metered_received"
        let lines = usage.map { record in
            ([record.day, quoted(record.id)] + record.traffic.values.map(String.init)).joined(separator: ",")
        }
        return ([head] + lines).joined(separator: "\n")
    }

    /// A field of RFC 4180.
    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { ",\"".contains($0) }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    private static func json(_ app: AppUsage) -> JSON {
        let days = app.days.map { JSON.object([("day", .string($0.day))] + amounts($0.traffic)) }
        return .object([("id", .string(app.id))] + amounts(app.total) + [("days", .array(days))])
    }

    private static func amounts(_ traffic: Traffic) -> [(String, JSON)] {
        zip(["cellular_sent", "cellular_received", "metered_sent", "metered_received"], traffic.values).map {
            ($0, JSON.number("\($1)"))
        }
    }
}

extension Traffic {
    fileprivate var cellular: UInt64 { Self.sum(cellularSent, cellularReceived) }
    fileprivate var metered: UInt64 { Self.sum(meteredSent, meteredReceived) }

    private static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
