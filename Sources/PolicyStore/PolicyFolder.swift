// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import CLinux
internal import EventLoop
internal import Glibc

/// The `*.conf` files of one directory; a file is read again only when it has changed.
struct PolicyFolder {
    /// The directory.
    let path: String
    /// The files by name; a file that cannot be read is there with what was last read of it.
    private(set) var files: [String: File] = [:]
    /// What is wrong with the directory itself.
    private(set) var problems: [Problem] = []

    private let kind: PolicyFile.Kind

    /// A file as it was last read.
    struct File {
        /// True if its contents may change without an event in the directory.
        var isSymbolicLink: Bool
        /// Nil if it must be read again next time.
        var state: FileState?
        /// What it said when it was last read.
        var contents: PolicyFile?
        /// Tells whether that is what it says now, without taking it apart.
        var mark: ContentsMark?
        /// Why it could not be read now.
        var failure: Problem?
    }

    /// A file with its name in the directory.
    typealias NamedFile = (name: String, file: File)

    /// Starts without files.
    ///
    /// - Parameters:
    ///   - path: the directory; need not exist.
    ///   - kind: whose files they are.
    init(_ path: String, kind: PolicyFile.Kind) {
        self.path = path
        self.kind = kind
    }

    /// The files in the order in which they are read: by the bytes of their names.
    var orderedFiles: [NamedFile] {
        files.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }

    /// The files that must be watched one by one.
    var linkedPaths: Set<String> {
        Set(files.filter(\.value.isSymbolicLink).keys.map(filePath))
    }

    /// Reads what has changed.
    ///
    /// - Parameter paths: where something may have; nothing is done if that is elsewhere.
    mutating func refresh(ifConcernedBy paths: Set<String>) {
        guard paths.contains(path) || !linkedPaths.isDisjoint(with: paths) else { return }
        problems = []
        let names: Set<String>
        do throws(SystemError) {
            names = try listNames()
        } catch {
            if error.number == ENOENT {
                files = [:]
            } else {
                // Perhaps for a moment only; what was read before is better than nothing.
                problems.append(Problem(file: path, message: error.reason))
            }
            return
        }
        files = files.filter { names.contains($0.key) }
        for name in names { files[name] = read(name, after: files[name]) }
    }

    /// Takes in what this program itself has just written, so that the file need not be taken apart again.
    ///
    /// To be called before the refresh that finds it. If this is not what was written upon, or has faults, whose places may
    /// be others now, the refresh reads the file.
    mutating func adopt(_ written: WrittenFile) {
        guard let file = files[written.name], file.mark == written.old, file.contents?.problems == [] else { return }
        for change in written.changes { files[written.name]?.contents?.apply(change) }
        files[written.name]?.mark = written.new
    }

    // MARK: Reading

    /// Nil if the file has vanished since the directory was listed.
    private func read(_ name: String, after earlier: File?) -> File? {
        let path = filePath(name)
        var file = File(
            isSymbolicLink: isSymbolicLink(path), state: nil, contents: earlier?.contents, mark: earlier?.mark,
            failure: nil)
        do throws(SystemError) {
            // The state is older than the contents, never newer: a change between the two is read again.
            let state = try FileState(of: path)
            file.state = state.isSettled ? state : nil
            if let earlier, earlier.state == state { return file }
            let bytes = state.isNullDevice ? [] : try EventLoop.contents(of: path, limit: KeyFile.sizeLimit)
            let mark = ContentsMark(of: bytes)
            if let earlier, earlier.mark == mark { return file }
            file.contents = PolicyFile(bytes, path: path, kind: kind)
            file.mark = mark
        } catch {
            if error.number == ENOENT, !file.isSymbolicLink { return nil }
            file.state = nil
            file.failure = Problem(file: path, message: error.reason)
        }
        return file
    }

    private func filePath(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// The names that count: those ending with `.conf`, but no hidden ones, which are temporary files of editors.
    private mutating func listNames() throws(SystemError) -> Set<String> {
        guard let directory = opendir(path) else { throw SystemError.last("open \(path)") }
        defer { closedir(directory) }
        var names: Set<String> = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                if errno != 0 { throw SystemError.last("read \(path)") }
                return names
            }
            guard let name = String(validatingCString: na_dirent_name(entry)) else {
                problems.append(
                    Problem(file: path, message: "the name of a file is not valid UTF-8; the file is skipped"))
                continue
            }
            guard name.hasSuffix(".conf"), !name.hasPrefix(".") else { continue }
            if kind == .person, Self.uid(of: name) == nil {
                problems.append(Problem(file: filePath(name), message: "the name is not UID.conf; the file is skipped"))
                continue
            }
            names.insert(name)
        }
    }

    /// The person whose file has this name; nil unless the number is written in the one canonical way.
    static func uid(of name: String) -> UInt32? {
        let digits = name.dropLast(".conf".count)
        // The largest number is (uid_t) -1, which stands for nobody.
        guard let uid = UInt32(digits), uid != UInt32.max, String(uid) == digits else { return nil }
        return uid
    }
}

extension SystemError {
    /// The cause alone, where the place stands beside it.
    fileprivate var reason: String {
        strerror(number).map { "cannot be read: \(String(cString: $0))" } ?? "cannot be read: error \(number)"
    }
}
