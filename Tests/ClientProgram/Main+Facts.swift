// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the kernel tells about this process.
extension Main {
    /// What this process has: its threads by name, and how many descriptors.
    static func facts() -> String {
        var threads = 0
        for number in names(in: "/proc/self/task") {
            guard let file = fopen("/proc/self/task/\(number)/comm", "r") else { continue }
            defer { fclose(file) }
            var buffer = [CChar](repeating: 0, count: 32)
            guard fgets(&buffer, Int32(buffer.count), file) != nil else { continue }
            let name = String(decoding: buffer.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if name.hasPrefix("accessibility") || name.hasPrefix("resolver") { threads += 1 }
        }
        return "threads=\(threads) descriptors=\(names(in: "/proc/self/fd").count)"
    }

    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { !$0.hasPrefix(".") }
    }
}
