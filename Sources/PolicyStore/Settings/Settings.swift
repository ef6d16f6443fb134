// SPDX-License-Identifier: Apache-2.0

package import AccessibilityCore
package import AccessibilityModel

/// What the administrator has set about the service itself; a new one holds what counts while no file says anything.
package struct Settings: Hashable, Sendable {
    /// How long changes of the network have to last.
    package var settleTimes = SettleTimes()
    /// Whom to listen to beside the kernel.
    package var sources = Set(Source.optional)
    /// Whether the kernel shall refuse what policies forbid, where it can.
    package var isEnforced = true

    /// Creates the settings that count without a file.
    package init() {}
}
