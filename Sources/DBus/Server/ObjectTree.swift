// SPDX-License-Identifier: Apache-2.0

public import EventLoop

/// Where a server's objects come from; they may exist for one caller and not for another.
///
/// An object that a caller may not know of gets the same answers as one that never was.
@Loop
public protocol ObjectTree: AnyObject {
    /// The interfaces of an object, without the standard ones.
    ///
    /// - Parameters:
    ///   - path: any path.
    ///   - sender: who asks.
    /// - Returns: nil if there is no object for this caller.
    func interfaces(at path: ObjectPath, for sender: BusName) -> [Interface]?

    /// The names of the next elements below a path at which, or below which, there is an object for this caller.
    ///
    /// - Parameters:
    ///   - path: any path.
    ///   - sender: who asks.
    /// - Returns: the names, each once; empty if there are none.
    func children(of path: ObjectPath, for sender: BusName) -> [String]

    /// Whether the object at a path is an object manager; asked at every call.
    ///
    /// - Parameters:
    ///   - path: that of an object.
    ///   - sender: who asks.
    /// - Returns: true if it has the interface for this caller.
    func isManager(_ path: ObjectPath, for sender: BusName) -> Bool

    /// The objects that an object manager manages; asked when `GetManagedObjects` is called, and only then.
    ///
    /// - Parameters:
    ///   - path: that of an object manager.
    ///   - sender: who asks.
    /// - Returns: those that exist for this caller.
    func managedObjects(of path: ObjectPath, for sender: BusName) -> [ObjectPath]
}

extension ObjectTree {
    /// A tree has no managers unless it says so.
    public func isManager(_ path: ObjectPath, for sender: BusName) -> Bool { false }

    /// A tree has no managers unless it says so.
    public func managedObjects(of path: ObjectPath, for sender: BusName) -> [ObjectPath] { [] }
}

/// A fixed set of objects that everybody may see.
@Loop
public final class FixedObjects: ObjectTree {
    private let objects: KeyValuePairs<ObjectPath, [Interface]>

    /// Creates a tree.
    ///
    /// - Parameter objects: the interfaces of each object; few, so that comparing paths is faster than hashing one.
    public init(_ objects: KeyValuePairs<ObjectPath, [Interface]>) {
        self.objects = objects
    }

    /// The interfaces of an object; see ``ObjectTree``.
    public func interfaces(at path: ObjectPath, for sender: BusName) -> [Interface]? {
        for (object, interfaces) in objects where object == path { return interfaces }
        return nil
    }

    /// The next elements below a path; see ``ObjectTree``.
    public func children(of path: ObjectPath, for sender: BusName) -> [String] {
        let prefix = path.text == "/" ? "/" : path.text + "/"
        let names = objects.compactMap { object, _ -> String? in
            guard object.text.utf8.starts(with: prefix.utf8), object.text.utf8.count > prefix.utf8.count else {
                return nil
            }
            let rest = object.text.utf8.dropFirst(prefix.utf8.count)
            return String(rest.prefix { $0 != UInt8(ascii: "/") })
        }
        return Set(names).sorted()
    }
}

/// Several trees as one; the first that has an object at a path answers for it.
@Loop
public final class JoinedObjects: ObjectTree {
    private let trees: [any ObjectTree]

    /// Joins trees.
    ///
    /// - Parameter trees: in the order in which they are asked.
    public init(_ trees: [any ObjectTree]) {
        self.trees = trees
    }

    /// The interfaces of an object; see ``ObjectTree``.
    public func interfaces(at path: ObjectPath, for sender: BusName) -> [Interface]? {
        for tree in trees {
            if let interfaces = tree.interfaces(at: path, for: sender) { return interfaces }
        }
        return nil
    }

    /// The next elements below a path, in any of the trees; see ``ObjectTree``.
    public func children(of path: ObjectPath, for sender: BusName) -> [String] {
        Set(trees.flatMap { $0.children(of: path, for: sender) }).sorted()
    }

    /// Whether the object is a manager; see ``ObjectTree``.
    public func isManager(_ path: ObjectPath, for sender: BusName) -> Bool {
        owner(of: path, sender)?.isManager(path, for: sender) ?? false
    }

    /// The objects of a manager; see ``ObjectTree``.
    public func managedObjects(of path: ObjectPath, for sender: BusName) -> [ObjectPath] {
        owner(of: path, sender)?.managedObjects(of: path, for: sender) ?? []
    }

    private func owner(of path: ObjectPath, _ sender: BusName) -> (any ObjectTree)? {
        trees.first { $0.interfaces(at: path, for: sender) != nil }
    }
}
