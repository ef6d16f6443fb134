// SPDX-License-Identifier: Apache-2.0

public import EventLoop

/// A file descriptor in a message; closed when the last value that holds it is gone.
public final class SharedDescriptor: Hashable, Sendable {
    private let descriptor: Descriptor

    /// Takes ownership.
    public init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// The number to hand to system calls while the object lives.
    public var number: Int32 { descriptor.number }

    /// Two are equal if they are the same object.
    public static func == (left: SharedDescriptor, right: SharedDescriptor) -> Bool {
        left === right
    }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
