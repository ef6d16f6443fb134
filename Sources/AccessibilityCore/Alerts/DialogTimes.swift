// SPDX-License-Identifier: Apache-2.0

/// How often a person is disturbed, and how often an app may ask for it.
package enum DialogTimes {
    /// How many alerts of one app may come within ``alertPeriod``.
    package static let alertCount = 3
    /// Enough for a person who walks from one network to the next, and little for a network that flaps.
    package static let alertPeriod = Duration.seconds(180)

    /// How long a question stays away after it was not answered for the first, second… time; the last holds for all others.
    ///
    /// Who has closed it once may have done so by mistake; who does it again has said something.
    package static let questionPauses: [Duration] = [.seconds(60), .seconds(600), .seconds(3600), .seconds(86400)]

    /// How many calls of one kind that open something on the screen an app may make within ``callPeriod``.
    package static let callCount = 5
    /// A minute.
    package static let callPeriod = Duration.seconds(60)
}
