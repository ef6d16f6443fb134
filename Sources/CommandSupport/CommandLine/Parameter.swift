// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// A value that a person types, of an option or by its place on the line: help, completion and checks come from here.
struct Parameter: Sendable {
    /// What stands for the value in the help, such as `ID`.
    let name: String
    /// What completion offers, and the help of an error names; empty if anything may stand there.
    var values: [String] = []
    /// True for an argument that may be left out; those come last.
    var isOptional = false
    /// What is wrong with a value that ``read`` refuses, for the person who typed it.
    var expectation: String
    /// The value in its canonical form, nil if it is none.
    let read: @Sendable (String) -> String?

    /// Exactly one of some words.
    static func word(_ name: String, of values: [String]) -> Parameter {
        Parameter(name: name, values: values, expectation: values.joined(separator: ", ")) { text in
            values.contains(text) ? text : nil
        }
    }

    /// Anything but nothing.
    static func text(_ name: String, _ expectation: String) -> Parameter {
        Parameter(name: name, expectation: expectation) { $0.isEmpty ? nil : $0 }
    }

    /// A length of time.
    static let seconds = Parameter(name: "SECONDS", expectation: "a number of seconds") { text in
        // What is not a number is not in the range either.
        Double(text).flatMap { (0...1e9).contains($0) ? text : nil }
    }

    /// The id of an app, with or without `.desktop`.
    static let appID = Parameter(name: "ID", expectation: "an app id, such as org.mozilla.firefox") { text in
        App.canonicalID(text)
    }

    /// A policy, in the words of the service or in a person's.
    static let policy = Parameter(
        name: "POLICY", values: Policy.allCases.map(\.word),
        expectation: Policy.allCases.map(\.word).joined(separator: ", ")
    ) { text in
        Policy(typed: text)?.word
    }

    /// What takes a policy away, where one can be given.
    static let reset = "reset"

    /// A policy, or that there is to be none.
    static let policyOrReset = Parameter(
        name: policy.name, values: policy.values + [reset], expectation: policy.expectation + ", " + reset
    ) { text in
        text == reset ? text : policy.read(text)
    }

    /// A month.
    static let month = Parameter(name: "YYYY-MM", expectation: "a month, such as 2026-11") { text in
        CalendarMonth(text)?.text
    }

    /// A person, by number; the largest one stands for nobody.
    static let uid = Parameter(name: "UID", expectation: "the number of a user") { text in
        UInt32(text).flatMap { $0 == .max ? nil : String($0) }
    }

    /// The same parameter where it may be left out.
    var optional: Parameter {
        var parameter = self
        parameter.isOptional = true
        return parameter
    }

    /// How the parameter stands in a usage line.
    var usage: String {
        isOptional ? "[\(name)]" : name
    }
}
