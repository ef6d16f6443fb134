// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// The one owner of an open file descriptor; it is closed when the owner goes away.
public struct Descriptor: ~Copyable, Sendable {
    /// The number to hand to system calls while the owner lives.
    public let number: Int32

    /// Takes ownership of an open descriptor.
    public init(owning number: Int32) {
        self.number = number
    }

    /// Takes ownership of what a system call returned.
    ///
    /// - Parameters:
    ///   - operation: what to name in the error.
    ///   - call: returns a descriptor, or -1 with `errno` set.
    /// - Throws: any error other than `EINTR`.
    public init(_ operation: @autoclosure () -> String, _ call: () -> Int32) throws(SystemError) {
        self.number = try retryingOnInterrupt(operation(), call)
    }

    /// Opens a file with open(2); `O_CLOEXEC` is always set.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - flags: `O_RDONLY` and so on.
    /// - Throws: the error of open(2).
    public init(opening path: String, flags: Int32) throws(SystemError) {
        self.number = try retryingOnInterrupt("open \(path)") { na_open(path, flags) }
    }

    /// Opens a file of a directory with openat(2); `O_CLOEXEC` is always set.
    ///
    /// - Parameters:
    ///   - name: the file; one without `/` leads nowhere else, if `O_NOFOLLOW` is among the flags.
    ///   - directory: where it is.
    ///   - flags: `O_RDONLY` and so on.
    /// - Throws: the error of openat(2).
    public init(opening name: String, in directory: borrowing Descriptor, flags: Int32) throws(SystemError) {
        let number = directory.number
        self.number = try retryingOnInterrupt("open \(name)") { na_openat(number, name, flags) }
    }

    /// Gives the descriptor up without closing it.
    public consuming func release() -> Int32 {
        let number = self.number
        discard self
        return number
    }

    deinit {
        // close(2) is not repeated on EINTR: Linux has let go of the number by then.
        _ = close(number)
    }
}

extension Descriptor {
    /// Reads once into the buffer.
    ///
    /// - Parameter buffer: where the bytes go.
    /// - Returns: the number of bytes, 0 at the end of the file, nil if a non-blocking descriptor has nothing now.
    /// - Throws: any other error of read(2).
    public borrowing func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        let number = self.number
        do {
            return try retryingOnInterrupt("read") { Glibc.read(number, buffer.baseAddress, buffer.count) }
        } catch let error where error.number == EAGAIN {
            return nil
        }
    }
}
