// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc

/// The folder of a control group of version 2; see cgroups(7).
struct CgroupFolder {
    /// The kernel's number of the group.
    let id: UInt64
    private let path: String

    /// A group inside of another.
    struct Child: Hashable {
        let name: String
        /// The lower half of the number at least: all of it on machines with 64 bits.
        let inode: UInt64
    }

    /// Looks at a folder.
    ///
    /// - Throws: `ENOENT` if the group has gone, `ENOTSUP` if the folder belongs to another file system: its number would
    ///   mean nothing to the kernel, or something else.
    init(_ path: String) throws(SystemError) {
        self.path = path
        let folder = try Descriptor(opening: path, flags: NA_O_PATH | O_DIRECTORY | O_NOFOLLOW)
        var fileSystem = statfs()
        let number = folder.number
        _ = try retryingOnInterrupt("statfs \(path)") { fstatfs(number, &fileSystem) }
        guard fileSystem.f_type == Self.magic else {
            throw SystemError(ENOTSUP, "\(path) is not in the tree of control groups of version 2")
        }
        var id: UInt64 = 0
        _ = try retryingOnInterrupt("name_to_handle_at \(path)") { na_cgroup_id(number, &id) }
        self.id = id
    }

    /// `CGROUP2_SUPER_MAGIC`.
    private static let magic = 0x6367_7270

    /// The groups inside, in no order.
    ///
    /// - Throws: the error of opendir(3).
    func children() throws(SystemError) -> Set<Child> {
        guard let directory = opendir(path) else { throw .last("read \(path)") }
        defer { closedir(directory) }
        var children: Set<Child> = []
        while let entry = readdir(directory) {
            guard entry.pointee.d_type == DT_DIR,
                // A name that is no text is none of a service manager's.
                let name = String(validatingCString: na_dirent_name(entry)), name != ".", name != ".."
            else { continue }
            children.insert(Child(name: name, inode: UInt64(entry.pointee.d_ino)))
        }
        return children
    }
}

extension CgroupFolder {
    /// The numbers of a group and of all groups below it; none if it has gone.
    static func members(below path: String) -> Set<UInt64> {
        guard let folder = try? CgroupFolder(path) else { return [] }
        var members: Set<UInt64> = [folder.id]
        for child in (try? folder.children()) ?? [] { members.formUnion(Self.members(below: "\(path)/\(child.name)")) }
        return members
    }

    /// How many groups deep a folder is, 0 for the root of the tree as it is mounted.
    ///
    /// - Throws: ``init(_:)``'s errors.
    static func level(of path: String) throws(SystemError) -> Int {
        _ = try CgroupFolder(path)
        var level = 0
        var parent = path + "/.."
        while (try? CgroupFolder(parent)) != nil {
            level += 1
            parent += "/.."
        }
        return level
    }
}
