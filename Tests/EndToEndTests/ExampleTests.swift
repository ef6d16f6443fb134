// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// The programs in `examples/`, built as their heads say, against the real service.
@Suite(.loop)
struct ExampleTests {
    /// A program that people begin with.
    struct Example: Sendable, CustomTestStringConvertible {
        var folder: String
        /// Commands of a shell that build it in the present folder; the folder of the example is `$SOURCE`.
        var build = ""
        /// The command that runs it, in the folder where it was built.
        var program: [String] = ["./client"]

        var testDescription: String { folder }
    }

    static let examples = [
        Example(
            folder: "c-sdbus",
            build: "cc -Wall -Werror -o client $SOURCE/client.c $(pkg-config --cflags --libs libsystemd)"),
        Example(
            folder: "c-gdbus",
            build: "cc -Wall -Werror -o client $SOURCE/client.c $(pkg-config --cflags --libs gio-2.0)"),
        Example(
            folder: "cpp-qtdbus",
            build: """
                moc $SOURCE/client.cpp -o client.moc
                c++ -Wall -Werror -fPIC -I. -o client $SOURCE/client.cpp $(pkg-config --cflags --libs Qt5DBus)
                """),
        Example(folder: "python", build: "cp $SOURCE/client.py client"),
        Example(
            folder: "rust",
            build: """
                cp -r $SOURCE/. .
                CARGO_HOME=$PWD/home RUSTC=/usr/bin/rustc /usr/bin/cargo build --offline
                ln -s target/debug/client client
                """),
        // Where it stands the library is built anew; a folder that stays saves that the next time.
        Example(
            folder: "swift",
            build: """
                swift build --package-path $SOURCE --scratch-path $SOURCE/../../.build/examples -j 2
                ln -s $SOURCE/../../.build/examples/debug/network-client client
                """),
    ]

    /// Builds an example in a folder of the test's own.
    @Loop
    private func build(_ example: Example) async throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        let script = "cd \(folder.path)\nSOURCE=\(Programs.examples)/\(example.folder)\n" + example.build
        let result = try await run(
            ["sh", "-ec", script], environment: ["PATH": Self.path], allowsFailure: true, within: .seconds(900))
        try #require(result.status == 0, "\(example.folder): \(result.output)\(result.errors)")
        return folder
    }

    /// Tools of the distribution come before those that somebody has installed beside; the Swift toolchain is where it was.
    private static var path: String {
        "/usr/bin:/bin:" + (getenv("PATH").map { String(cString: $0) } ?? "")
    }

    @Test(arguments: examples) @Loop
    func `each example shows the present, each change, and the service after a restart`(example: Example) async throws {
        let folder = try await build(example)
        let app = "org.example.Example"
        func policy(_ word: String) -> String { "[App \(app)]\nPolicy=\(word)\n" }
        let device = try await Device(policy: policy("all"))
        let command = device.inside(
            ["env", "DBUS_SYSTEM_BUS_ADDRESS=\(device.bus.address)", "PATH=\(Self.path)"] + example.program)
        let process = try ChildProcess(
            try device.scopes.command(["sh", "-c", "cd \(folder.path) && exec \"$@\"", "sh"] + command, as: app))
        func shows(_ lines: [String], _ what: Comment) async {
            await eventually("\(what): \(process.lines) \(process.errorText)") { process.lines == lines }
        }
        var expected = ["accessible reachable none wifi"]
        await shows(expected, "the present")
        try device.setPolicy(policy("off"))
        expected.append("restricted not reachable network-denied wifi")
        await shows(expected, "a change")
        try device.service.signal(SIGKILL)
        try await device.service.exitStatus()
        try await device.startService()
        expected.append(expected[1])
        await shows(expected, "a restart")
        try device.setPolicy(policy("all"))
        expected.append(expected[0])
        await shows(expected, "a change after it")
    }

    @Test @Loop func `the example for the shell shows the present in two ways, and each change`() async throws {
        let device = try await Device(policy: "[App org.example.Shell]\nPolicy=all\n")
        let command = device.inside([
            "env", "DBUS_SYSTEM_BUS_ADDRESS=\(device.bus.address)", "PATH=\(Self.path):\(Products.folder)",
            Programs.examples + "/shell/client",
        ])
        let process = try ChildProcess(try device.scopes.command(command, as: "org.example.Shell"))
        var expected = [
            "now: accessible reachable=true none",
            "('accessible', true, 'none', {'Transport': <'wifi'>, 'Connectivity': <'unknown'>, 'Metered': <false>})",
            "accessible, reachable (wifi)",
        ]
        await eventually("\(process.lines) \(process.errorText)") { process.lines == expected }
        try device.setPolicy("[App org.example.Shell]\nPolicy=off\n")
        expected.append("restricted, not reachable (wifi, network-denied)")
        await eventually("\(process.lines) \(process.errorText)") { process.lines == expected }
    }

    @Test @Loop func `each example says in its first line what makes an observer of it`() async throws {
        let files = try await run(
            "find", Programs.examples, "(", "-name", "client", "-o", "-name", "client.*", "-o", "-name", "Main.swift",
            ")"
        ).output.split(separator: "\n").map(String.init)
        #expect(files.count == 7, "\(files)")
        for file in files {
            let text = String(decoding: try contents(of: file, limit: 1 << 16), as: UTF8.self)
            let first = text.split(separator: "\n").first { !$0.hasPrefix("#!") } ?? ""
            #expect(first.contains(#/Start before it listens|reads all properties|Reads before/#), "\(file): \(first)")
        }
    }
}
