// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A variable of the environment; an empty one counts as none.
///
/// - Parameter name: the variable.
/// - Returns: nil if it is not set, or empty.
package func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}
