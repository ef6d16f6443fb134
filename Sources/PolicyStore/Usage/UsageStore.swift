// SPDX-License-Identifier: Apache-2.0

package import AccessibilityCore
package import AccessibilityModel
internal import CLinux
package import EventLoop
internal import Glibc

/// What apps have sent and received, on the disk: a folder for each person with a file for each month.
///
/// Only the file of the present month is written, so an account of a year costs no more than one of a week. Nobody but the
/// service can read the files: when an app was used is nobody else's business.
package struct UsageStore: Sendable {
    /// How many months are kept of a person: the present one and 13 before it.
    package static let monthLimit = 14

    private let directory: String
    private let runtimeDirectory: String
    private static let marksName = "counters"
    private static let damaged = ".damaged"

    /// Names the folders, which need not exist.
    ///
    /// - Parameter root: an absolute path that stands before them; empty for those of the system.
    package init(root: String) {
        directory = root + "/var/lib/network-accessibility/usage"
        runtimeDirectory = root + "/run/network-accessibility"
    }

    /// Removes what a service that has crashed in the middle of a write has left behind.
    package func removeLeftovers() {
        for uid in Self.entries(of: directory) { DurableFile.removeLeftovers(in: "\(directory)/\(uid)") }
        DurableFile.removeLeftovers(in: runtimeDirectory)
    }

    // MARK: Months

    /// Reads a month of a person.
    ///
    /// A file that is damaged is set aside under another name.
    ///
    /// - Parameters:
    ///   - month: which one.
    ///   - uid: the person.
    ///   - problem: gets what is wrong with the file.
    /// - Returns: an empty month if there is no file, or a damaged one.
    /// - Throws: why it cannot be read, or not set aside; it must not be written then.
    package func load(
        _ month: CalendarMonth, of uid: UInt32, problem: (Problem) -> Void
    ) throws(SystemError) -> UsageMonth {
        let path = path(month, uid)
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try contents(of: path, limit: UsageFile.sizeLimit)
        } catch let error where error.number == ENOENT {
            return UsageMonth(month)
        } catch let error where error.number == EFBIG {
            try setAside(path, Problem(file: path, message: "is too large"), problem)
            return UsageMonth(month)
        }
        do throws(UsageFile.Damage) {
            return try UsageFile.read(bytes, of: month)
        } catch {
            try setAside(path, Problem(file: path, line: error.line, message: "is damaged"), problem)
            return UsageMonth(month)
        }
    }

    /// Stores a month of a person; when this returns, it is on the disk.
    ///
    /// If it is a new one, the oldest beyond ``monthLimit`` goes: by number and not by the clock, which may be wrong.
    ///
    /// - Throws: why it is not stored; what was there before still is.
    package func save(_ usage: UsageMonth, of uid: UInt32) throws(SystemError) {
        let folder = "\(directory)/\(uid)"
        let isNew = access(path(usage.month, uid), F_OK) != 0
        let file = DurableFile(usage.month.text, in: folder, isPrivate: true)
        _ = try file.replace(with: Array(UsageFile.text(usage).utf8), if: { true }, undo: {})
        guard isNew else { return }
        let others = months(of: uid).filter { $0 != usage.month }
        for old in others.dropLast(Self.monthLimit - 1) { unlink(path(old, uid)) }
    }

    /// The months of which there is anything, the oldest first.
    package func months(of uid: UInt32) -> [CalendarMonth] {
        Self.entries(of: "\(directory)/\(uid)").compactMap { CalendarMonth($0) }.sorted()
    }

    private func path(_ month: CalendarMonth, _ uid: UInt32) -> String {
        "\(directory)/\(uid)/\(month.text)"
    }

    /// What was set aside before stays, too.
    private func setAside(_ path: String, _ found: Problem, _ problem: (Problem) -> Void) throws(SystemError) {
        var other = path + Self.damaged
        var number = 1
        while access(other, F_OK) == 0 {
            number += 1
            other = path + Self.damaged + "-\(number)"
        }
        _ = try retryingOnInterrupt("rename \(path)") { rename(path, other) }
        problem(Problem(file: found.file, line: found.line, message: found.message + "; it is set aside as \(other)"))
    }

    // MARK: Marks

    /// Reads how far counters have been stored.
    ///
    /// - Parameter problem: gets what is wrong with the file, which is not used then.
    /// - Returns: nothing if there is no file.
    package func loadMarks(problem: (Problem) -> Void) -> [TrafficMark] {
        let path = "\(runtimeDirectory)/\(Self.marksName)"
        do throws(SystemError) {
            let bytes = try contents(of: path, limit: UsageFile.sizeLimit)
            do throws(UsageFile.Damage) { return try TrafficMarkFile.read(bytes) } catch {
                problem(Problem(file: path, line: error.line, message: "is damaged"))
            }
        } catch {
            if error.number != ENOENT { problem(Problem(file: path, message: "\(error)")) }
        }
        return []
    }

    /// Stores how far counters have been stored.
    ///
    /// They live no longer than the machine runs, and so does the file.
    ///
    /// - Throws: why it is not stored.
    package func saveMarks(_ marks: [TrafficMark]) throws(SystemError) {
        let file = DurableFile(Self.marksName, in: runtimeDirectory, isPrivate: true)
        _ = try file.replace(with: Array(TrafficMarkFile.text(marks).utf8), if: { true }, undo: {})
    }

    private static func entries(of folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            guard let name = String(validatingCString: na_dirent_name(entry)), !name.hasPrefix(".") else { continue }
            names.append(name)
        }
        return names
    }
}
