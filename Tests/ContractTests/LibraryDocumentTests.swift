// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// The documentation of the library, as the toolchain builds it.
@Suite(.loop)
struct LibraryDocumentTests {
    private static let catalogue = Repository.root + "/Sources/NetworkAccessibility/NetworkAccessibility.docc"

    /// Writes down what the library offers, with the vocabulary that it passes on.
    @Loop private func symbolGraph(in folder: TemporaryDirectory) async throws -> String {
        let target = try await run("swiftc", "-print-target-info").output
            .firstMatch(of: #/"unversionedTriple" *: *"([^"]+)"/#).map { String($0.1) }
        let headers = try await run("pkg-config", "--cflags-only-I", "dbus-1").output.split(
            whereSeparator: \.isWhitespace)
        try await run(
            [
                "swift-symbolgraph-extract", "-module-name", "NetworkAccessibility",
                "-experimental-allowed-reexported-modules=AccessibilityModel", "-I", Repository.products + "/Modules",
                "-I", Repository.root + "/Sources/CDBus", "-I", Repository.root + "/Sources/CLinux", "-target",
                try #require(target), "-minimum-access-level", "public", "-output-dir", folder.path,
            ] + headers.flatMap { ["-Xcc", String($0)] })
        return try Repository.file(folder.path + "/NetworkAccessibility.symbols.json")
    }

    @Test @Loop func `the documentation builds without a warning, and knows every name that it mentions`() async throws
    {
        let folder = try TemporaryDirectory()
        let graph = try await symbolGraph(in: folder)
        let result = try await run(
            [
                "docc", "convert", Self.catalogue, "--additional-symbol-graph-dir", folder.path, "--output-path",
                folder.path + "/out", "--fallback-display-name", "NetworkAccessibility",
                "--fallback-bundle-identifier", "org.example.NetworkAccessibility", "--warnings-as-errors",
            ], allowsFailure: true, within: .seconds(120))
        #expect(result.status == 0, "\(result.output)\(result.errors)")

        // What DocC does not look at: the code.
        var checked: Set<String> = []
        for file in try await run("find", Self.catalogue, "-name", "*.md").output.split(separator: "\n") {
            let text = try Repository.file(String(file))
            for name in text.matches(of: #/\b(?:monitor|status|shared)\.([a-z]\w*)/#).map({ String($0.1) }) {
                checked.insert(name)
                #expect(
                    graph.contains("\"title\":\"\(name)\"") || graph.contains("\"title\":\"\(name)("),
                    "\(name) in \(file)")
            }
        }
        #expect(checked.count > 12, "\(checked)")
    }
}
