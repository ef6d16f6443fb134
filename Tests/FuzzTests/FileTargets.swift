// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel

@testable import PolicyStore

extension FuzzTarget {
    /// A policy file, read as anybody's; and a person's changed by the service: the change is in it, everything else is as before.
    static let policyFile = FuzzTarget(name: "policy-file") { bytes in
        for kind in [PolicyFile.Kind.vendor, .admin] { _ = PolicyFile(bytes, path: "", kind: kind) }
        let before = PolicyFile(bytes, path: "", kind: .person)
        let present = before.layer.rules.keys.sorted()
        let subjects = (present.prefix(2) + ["org.example.New"]).map { PolicySubject.app($0) } + [.everythingElse]
        for subject in subjects {
            for policy in [Policy.off, nil] {
                var editor = PolicyEditor(bytes)
                if let policy { editor.set(subject, to: policy) } else { editor.remove(subject) }
                let after = PolicyFile(editor.bytes, path: "", kind: .person)
                var expected = before
                expected.apply(PolicyChange(subject, policy))
                try Violation.unless(
                    after.layer == expected.layer,
                    "\(subject) to \(policy?.word ?? "nothing"): \(after.layer) in the place of \(expected.layer)")
            }
        }
    }

    /// A settings file: whatever stands there, times are in their bounds.
    static let settingsFile = FuzzTarget(name: "settings-file") { bytes in
        var settings = Settings()
        let file = SettingsFile(bytes, path: "")
        file.apply(to: &settings)
        let times = settings.settleTimes
        try Violation.unless(.zero ... .seconds(10) ~= times.other && .zero ... .seconds(60) ~= times.less, "\(times)")
        var again = settings
        file.apply(to: &again)
        try Violation.unless(again == settings, "\(again) the second time")
    }

    /// Usage of a month and marks of counters: what is read is written so that it is read again, and so is what any app makes of its id.
    static let usageFile = FuzzTarget(name: "usage-file") { bytes in
        let month = CalendarMonth(year: 2026, month: 11)
        if let id = App.canonicalID(String(decoding: bytes, as: UTF8.self)),
            let traffic = Traffic(values: [1, 2, 3, 4])
        {
            var usage = UsageMonth(month)
            usage.add(traffic, of: id, on: 30)
            try Violation.unless(
                try UsageFile.read(Array(UsageFile.text(usage).utf8), of: month) == usage, "the usage of \(id)")
            let marks = [TrafficMark(group: 1, app: App(uid: 1000, id: id), traffic: traffic)]
            try Violation.unless(
                try TrafficMarkFile.read(Array(TrafficMarkFile.text(marks).utf8)) == marks, "the mark of \(id)")
        }
        if let usage = try? UsageFile.read(bytes, of: month) {
            let again = try UsageFile.read(Array(UsageFile.text(usage).utf8), of: month)
            try Violation.unless(again == usage, "\(usage) comes back as \(again)")
        }
        if let marks = try? TrafficMarkFile.read(bytes) {
            let again = try TrafficMarkFile.read(Array(TrafficMarkFile.text(marks).utf8))
            try Violation.unless(again == marks, "\(marks) comes back as \(again)")
        }
    }
}
