// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The programs that were built together with the tests.
package enum Products {
    /// Their folder.
    package static let folder: String = {
        let program = "/proc/self/exe".withCString { realpath($0, nil) }
        defer { free(program) }
        let path = program.map { String(cString: $0) } ?? ""
        return path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    }()

    /// The command line tool.
    package static let netaccess = folder + "/netaccess"
}
