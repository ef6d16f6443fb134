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

    /// The objects that the object manager at a path manages.
    ///
    /// - Parameters:
    ///   - path: any path.
    ///   - sender: who asks.
    /// - Returns: nil if the object at the path is no object manager.
    func managedObjects(of path: ObjectPath, for sender: BusName) -> [ObjectPath]?
}

/// A fixed set of objects that everybody may see.
@Loop
public final class FixedObjects: ObjectTree {
    private let objects: [ObjectPath: [Interface]]

    /// Creates a tree.
    ///
    /// - Parameter objects: the interfaces of each object.
    public init(_ objects: [ObjectPath: [Interface]]) {
        self.objects = objects
    }

    /// The interfaces of an object; see ``ObjectTree``.
    public func interfaces(at path: ObjectPath, for sender: BusName) -> [Interface]? {
        objects[path]
    }

    /// The next elements below a path; see ``ObjectTree``.
    public func children(of path: ObjectPath, for sender: BusName) -> [String] {
        let prefix = path.text == "/" ? "/" : path.text + "/"
        let names = objects.keys.compactMap { object -> String? in
            guard object.text.utf8.starts(with: prefix.utf8), object.text.utf8.count > prefix.utf8.count else {
                return nil
            }
            let rest = object.text.utf8.dropFirst(prefix.utf8.count)
            return String(rest.prefix { $0 != UInt8(ascii: "/") })
        }
        return Set(names).sorted()
    }

    /// None of the objects is a manager.
    public func managedObjects(of path: ObjectPath, for sender: BusName) -> [ObjectPath]? {
        nil
    }
}
