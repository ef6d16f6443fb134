// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import CLinux
internal import EventLoop
internal import Glibc

/// What a configuration file says, and what of it could not be used.
protocol ConfigurationFile {
    /// What could not be used.
    var problems: [Problem] { get }
}

/// The `*.conf` files of one directory, or one of them alone; a file is read again only when it has changed.
struct ConfigurationFolder<Contents: ConfigurationFile> {
    /// The directory.
    let path: String
    /// The files by name; a file that cannot be read is there with what was last read of it.
    private(set) var files: [String: File] = [:]
    /// What is wrong with the directory itself.
    private(set) var problems: [Problem] = []
    /// True if the directory could not be listed for a cause that may pass without an event.
    private var isListedLater = false

    private let names: Names
    private let parse: ([UInt8], String) -> Contents

    /// Which files of the directory count.
    enum Names {
        /// Those that end with `.conf`, but for those for which the closure has an objection.
        case configuration(objection: (String) -> String? = { _ in nil })
        /// This one; the rest of the directory is not even looked at.
        case one(String)
    }

    /// A file as it was last read.
    struct File {
        /// True if its contents may change without an event in the directory.
        var isSymbolicLink: Bool
        /// Nil if it must be read again next time.
        var state: FileState?
        /// What it said when it was last read.
        var contents: Contents?
        /// Tells whether that is what it says now, without taking it apart.
        var mark: ContentsMark?
        /// Why it could not be read now.
        var failure: Problem?
        /// True if that may pass without an event.
        var isReadLater = false

        /// What is wrong with the file or with what it says.
        var problems: [Problem] { [failure].compactMap(\.self) + (contents?.problems ?? []) }
    }

    /// A file with its name in the directory.
    typealias NamedFile = (name: String, file: File)

    /// Starts without files.
    ///
    /// - Parameters:
    ///   - path: the directory; need not exist.
    ///   - names: the files that count.
    ///   - parse: makes sense of the bytes of a file, given its path for the problems.
    init(_ path: String, names: Names = .configuration(), parse: @escaping ([UInt8], String) -> Contents) {
        self.path = path
        self.names = names
        self.parse = parse
    }

    /// What must be watched to learn of changes, beside the ``linkedPaths``: the directory, or the one file.
    var watchedPath: String {
        if case .one(let name) = names { filePath(name) } else { path }
    }

    /// What is to be read again after a while, since no event will tell that it can be read now.
    var latePaths: Set<String> {
        isListedLater || files.values.contains { $0.isReadLater } ? [watchedPath] : []
    }

    /// The files in the order in which they are read: by the bytes of their names.
    var orderedFiles: [NamedFile] { Self.inOrder(files) }

    /// Puts files in the order in which they are read.
    static func inOrder(_ files: [String: File]) -> [NamedFile] {
        files.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }

    /// The files that must be watched one by one.
    var linkedPaths: Set<String> {
        if case .one = names { return [] }
        return Set(files.filter { $0.value.isSymbolicLink }.keys.map(filePath))
    }

    /// Reads what has changed.
    ///
    /// - Parameter paths: where something may have; nothing is done if that is elsewhere.
    mutating func refresh(ifConcernedBy paths: Set<String>) {
        guard paths.contains(watchedPath) || !linkedPaths.isDisjoint(with: paths) else { return }
        problems = []
        isListedLater = false
        let names: Set<String>
        do throws(SystemError) {
            names = try listNames()
        } catch {
            if error.number == ENOENT {
                files = [:]
            } else {
                // Perhaps for a moment only; what was read before is better than nothing.
                problems.append(Problem(file: path, message: error.reason))
                isListedLater = error.mayPassUnnoticed
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
    mutating func adopt(_ written: WrittenFile, apply: (inout Contents) -> Void) {
        // What is not there is as good as an empty one. Then the change is in force even if the directory cannot be listed now.
        var file =
            files[written.name]
            ?? File(
                isSymbolicLink: false, contents: parse([], filePath(written.name)), mark: ContentsMark(of: []))
        guard file.mark == written.old, var contents = file.contents, contents.problems.isEmpty else { return }
        apply(&contents)
        file.contents = contents
        file.mark = written.new
        files[written.name] = file
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
            file.contents = parse(bytes, path)
            file.mark = mark
        } catch {
            if error.number == ENOENT, !file.isSymbolicLink { return nil }
            file.state = nil
            file.failure = Problem(file: path, message: error.reason)
            file.isReadLater = error.mayPassUnnoticed
        }
        return file
    }

    private func filePath(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// The names that count: those ending with `.conf`, but no hidden ones, which are temporary files of editors.
    private mutating func listNames() throws(SystemError) -> Set<String> {
        let objection: (String) -> String?
        switch names {
        case .one(let name): return [name]
        case .configuration(let objects): objection = objects
        }
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
            if let objection = objection(name) {
                problems.append(Problem(file: filePath(name), message: "\(objection); the file is skipped"))
                continue
            }
            names.insert(name)
        }
    }
}

extension SystemError {
    /// A disk that could not be read once may be read later.
    fileprivate var mayPassUnnoticed: Bool {
        isForWantOfResources || number == EIO
    }

    /// The cause alone, where the place stands beside it.
    fileprivate var reason: String {
        strerror(number).map { "cannot be read: \(String(cString: $0))" } ?? "cannot be read: error \(number)"
    }
}
