// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport

/// Control groups as a person's service manager makes them, one for each app, below a group of the test's own.
@Loop
final class AppScopes {
    private static var count = 0

    private let slice: String
    /// All folders, from the outermost to the innermost.
    private var folders: [String] = []

    /// Makes the groups above those of the apps.
    ///
    /// - Throws: if there is no tree of version 2, or the test may not write to it.
    init() throws {
        Self.count += 1
        let top = try Self.mountPoint() + "/network-accessibility-test-\(getpid())-\(Self.count)"
        let parents = ["user.slice", "user-0.slice", "user@0.service", "app.slice"]
        slice = ([top] + parents).joined(separator: "/")
        for count in 0...parents.count { try make(([top] + parents[..<count]).joined(separator: "/")) }
    }

    isolated deinit {
        // The kernel keeps a group until it is empty, and the test may let go of its programs a moment later.
        Task { @Loop [folders] in
            for _ in 0..<100 {
                for folder in folders.reversed() { rmdir(folder) }
                guard let top = folders.first, access(top, F_OK) == 0 else { return }
                try? await Loop.sleep(for: .milliseconds(20))
            }
        }
    }

    /// A command that first goes into the group of an app, and then starts another.
    func command(_ arguments: [String], as app: String) throws -> [String] {
        // In the names of units a hyphen separates; one that belongs to the id is escaped, as is what escapes.
        let id = app.map { character in
            switch character {
            case "-": #"\x2d"#
            case "\\": #"\x5c"#
            default: String(character)
            }
        }.joined()
        let scope = slice + "/app-test-\(id)-1.scope"
        if !folders.contains(scope) { try make(scope) }
        return ["sh", "-c", #"echo $$ > "$0" && exec "$@""#, scope + "/cgroup.procs"] + arguments
    }

    private func make(_ folder: String) throws {
        guard mkdir(folder, 0o755) == 0 else { throw SystemError.last("mkdir \(folder)") }
        folders.append(folder)
    }

    private static func mountPoint() throws -> String {
        let mounts = String(decoding: try contents(of: "/proc/self/mounts", limit: 1 << 20), as: UTF8.self)
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count > 2, fields[2] == "cgroup2" { return String(fields[1]) }
        }
        throw SystemError(ENOENT, "find the tree of control groups of version 2")
    }
}
