// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Control groups as a person's service manager makes them, one for each app, below a group of the test's own.
struct AppScopes {
    private let groups: ControlGroups

    /// Makes the outermost group.
    ///
    /// - Throws: if there is no tree of version 2, or the test may not write to it.
    init() throws {
        groups = try ControlGroups()
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
        let scope = try groups.make("user.slice/user-0.slice/user@0.service/app.slice/app-test-\(id)-1.scope")
        return ["sh", "-c", #"echo $$ > "$0" && exec "$@""#, scope + "/cgroup.procs"] + arguments
    }
}
