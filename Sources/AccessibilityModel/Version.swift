// SPDX-License-Identifier: Apache-2.0

/// The version of the software.
public enum Version {
    /// The one place where it is written.
    public static let current = "0.1.0"
}
