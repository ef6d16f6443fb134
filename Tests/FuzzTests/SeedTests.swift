// SPDX-License-Identifier: Apache-2.0

import CLinux
import EventLoop
import Glibc
import TestSupport
import Testing

/// The seeds of the fuzzer, read as a test: among them is every input that it has found a fault with.
struct SeedTests {
    private static let seeds = #filePath.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/Seeds"

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `whatever the bytes are, nothing traps and what must hold holds`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let seeds = try names(in: "\(Self.seeds)/\(name)")
        #expect(!seeds.isEmpty)
        for seed in seeds {
            let bytes = try contents(of: "\(Self.seeds)/\(name)/\(seed)", limit: 1 << 20)
            #expect(throws: Never.self, "\(seed)") { try target.read(bytes) }
            for length in 0..<min(bytes.count, 512) {
                #expect(throws: Never.self, "the first \(length) bytes of \(seed)") {
                    try target.read(Array(bytes[..<length]))
                }
            }
        }
    }

    @Test func `each folder of seeds has its target`() throws {
        #expect(try Set(names(in: Self.seeds)) == Set(FuzzTarget.all.map(\.name)))
    }

    /// The names in a folder.
    private func names(in folder: String) throws -> [String] {
        let directory = try #require(opendir(folder))
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) { names.append(String(cString: na_dirent_name(entry))) }
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }
}
