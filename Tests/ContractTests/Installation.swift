// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport

/// What `make install` puts on a system, as a Debian package would have it, in a folder of the test's own.
@Loop
final class Installation {
    private let folder: TemporaryDirectory
    /// Where the system would be.
    var root: String { folder.path }

    /// Installs the programs that were built together with the tests.
    init() async throws {
        folder = try TemporaryDirectory()
        // A umask that a careful administrator has must not end up in the modes of the files.
        let make = try ChildProcess([
            "sh", "-c", "umask 077; exec \"$@\"", "sh", "make", "--silent", "-C", Repository.root,
            "BUILD=\(Repository.products)", "PREFIX=/usr", "DESTDIR=\(folder.path)", "install",
        ])
        let status = try await make.exitStatus()
        guard status == 0 else { throw SystemError(status, "make install: \(make.errorText)") }
    }

    func text(_ name: String) throws -> String {
        String(decoding: try contents(of: root + "/" + name, limit: 1 << 20), as: UTF8.self)
    }
}
