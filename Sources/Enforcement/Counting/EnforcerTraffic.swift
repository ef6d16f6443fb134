// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

extension Enforcer {
    /// What groups have sent and received since the last time, over links with a trait.
    ///
    /// - Parameter groups: of which anybody wants to know; their counters stay.
    /// - Returns: those for which there is anything.
    /// - Throws: why the counters cannot be read; nothing is lost then.
    package func takeTraffic(of groups: Set<UInt64>) throws(BackEndError) -> [UInt64: Traffic] {
        let result = counters.take(try backEnd.traffic(), of: groups)
        forgetTraffic(of: result.strangers)
        return result.news
    }

    /// Removes the counters of groups, of which nobody wants to know any more.
    package func forgetTraffic(of groups: Set<UInt64>) {
        counters.forget(groups)
        do throws(BackEndError) {
            try backEnd.forgetTraffic(of: groups)
        } catch {
            problem("counters that are of no use stay: \(error)")
        }
    }
}
