// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel
package import EventLoop

/// What a rule of a person is about.
package enum PolicySubject: Hashable, Sendable {
    /// One app; the id is canonical, see ``AccessibilityModel/App/canonicalID(_:)``.
    case app(String)
    /// All apps for which there is no rule.
    case everythingElse
}

/// A change of one rule of a person.
package struct PolicyChange: Hashable, Sendable {
    /// What the rule is about.
    package var subject: PolicySubject
    /// What counts from now on; nil takes the rule away.
    package var policy: Policy?

    /// Creates a change.
    package init(_ subject: PolicySubject, _ policy: Policy?) {
        self.subject = subject
        self.policy = policy
    }
}

/// Why a change has not been stored; the old policy is in force.
package enum PolicyWriteError: Error, Hashable, Sendable {
    /// The person has ``PolicyStore/ruleLimit`` rules, or the file would be larger than what is read.
    case tooManyRules
    /// ``PolicyStore/writeLimit`` changes of the person wait already.
    case tooManyWrites
    /// The file cannot be read, or the disk refuses.
    case storage(SystemError)
}
