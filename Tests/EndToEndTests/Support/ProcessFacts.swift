// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// What the kernel tells about a process.
extension ChildProcess {
    /// Memory that is the process's own, in KiB.
    var anonymousMemory: Int {
        get throws { try statusField("RssAnon") }
    }

    /// How often it has gone to sleep of its own accord, which it does once each time it was woken.
    var voluntarySwitches: Int {
        get throws {
            // Every thread counts: a helper that wakes up is a wake-up too. One may end meanwhile.
            try entries(of: "task").reduce(0) { sum, task in
                sum + ((try? statusField("voluntary_ctxt_switches", of: "task/\(task)/status")) ?? 0)
            }
        }
    }

    /// How many threads there are.
    var threadCount: Int {
        get throws { try statusField("Threads") }
    }

    /// Processor time that it has used, in ticks of 10 ms.
    var processorTicks: Int {
        get throws {
            let fields = try text("stat").split(separator: ")").last?.split(separator: " ") ?? []
            // utime and stime are fields 14 and 15 of proc_pid_stat(5); what is left begins with field 3.
            return try #require(fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : nil)
        }
    }

    /// How many descriptors are open.
    var descriptorCount: Int {
        get throws { try entries(of: "fd").count }
    }

    /// The clocks of all timer descriptors, as numbers of clock_gettime(2).
    var timerClocks: [String] {
        get throws {
            try entries(of: "fdinfo").compactMap { number in
                try? text("fdinfo/\(number)").split(separator: "\n").first { $0.hasPrefix("clockid:") }
                    .map { $0.drop { !$0.isNumber }.description }
            }
        }
    }

    private func statusField(_ name: String, of file: String = "status") throws -> Int {
        let line = try text(file).split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return try #require(line?.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first, "\(name)")
    }

    private func text(_ file: String) throws -> String {
        String(decoding: try contents(of: "/proc/\(pid)/\(file)", limit: 1 << 16), as: UTF8.self)
    }

    private func entries(of folder: String) throws -> [String] {
        guard let directory = opendir("/proc/\(pid)/\(folder)") else { throw SystemError.last("opendir \(folder)") }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}

/// Writes down a measured value for whoever reads the test's log; a test asserts no time, since machines differ.
func record(_ what: String, _ value: some CustomStringConvertible) {
    print("measured: \(what): \(value)")
}
