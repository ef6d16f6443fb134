// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport

/// The programs under test, and the foreign clients.
enum Programs {
    /// The service.
    static let service = buildDirectory + "/network-accessibilityd"
    /// The command line tool.
    static let tool = buildDirectory + "/netaccess"
    /// An app that uses the library.
    static let libraryClient = buildDirectory + "/client-program"
    /// The programs that people begin with.
    static let examples = sourceDirectory + "/examples"
    /// The agent of a person.
    static let agent = buildDirectory + "/network-accessibility-agent"
    /// The policy of the bus, as packages install it.
    static let busPolicy = sourceDirectory + "/dbus/org.example.NetworkAccessibility.conf"

    /// A script in `Clients`, with the interpreter that has the bindings of the distribution.
    static func client(_ name: String, _ arguments: String...) -> [String] {
        client(name, arguments)
    }

    /// A script in `Clients`, with its arguments in an array.
    static func client(_ name: String, _ arguments: [String]) -> [String] {
        ["/usr/bin/python3", clientPath(name)] + arguments
    }

    /// Where a script in `Clients` is.
    static func clientPath(_ name: String) -> String {
        sourceDirectory + "/Tests/EndToEndTests/Clients/" + name
    }

    /// The programs are built into the folder of the test bundle, which is the running program.
    private static let buildDirectory: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        precondition(count > 0, "/proc/self/exe cannot be read")
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: Int8($0)) }, as: UTF8.self)
        return parent(of: path)
    }()

    private static let sourceDirectory = parent(of: parent(of: parent(of: parent(of: #filePath))))

    private static func parent(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}

/// The names under which everybody finds the service.
enum Names {
    static let service = "org.example.NetworkAccessibility"
    static let path = "/org/example/NetworkAccessibility"
    static let network = "org.example.NetworkAccessibility.Network1"
}
