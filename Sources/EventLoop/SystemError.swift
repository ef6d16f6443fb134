// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// A system call that failed: what was tried, and the kernel's `errno`.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error number, as in errno(3).
    public let number: Int32
    /// What was tried, for the log: usually the name of the system call and its object.
    public let operation: String

    /// Creates an error from a number that the caller has saved.
    public init(_ number: Int32, _ operation: String) {
        self.number = number
        self.operation = operation
    }

    /// Takes the thread's `errno`; to be called before anything else can change it.
    public static func last(_ operation: String) -> SystemError {
        SystemError(errno, operation)
    }

    /// True if descriptors or memory were short: the same call may well succeed later, and no event tells when.
    public var isForWantOfResources: Bool {
        [EMFILE, ENFILE, ENOMEM].contains(number)
    }

    /// The kernel's words for the number, as strerror(3) gives them.
    public var description: String {
        guard let text = strerror(number) else { return "\(operation): error \(number)" }
        return "\(operation): \(String(cString: text))"
    }
}

/// Runs a system call again while a signal handler interrupts it.
///
/// - Parameters:
///   - operation: what to name in the error.
///   - call: returns -1 and sets `errno` on failure.
/// - Returns: what the call returned.
/// - Throws: any error other than `EINTR`.
@inlinable
public func retryingOnInterrupt<Result: FixedWidthInteger & SignedInteger>(
    _ operation: @autoclosure () -> String, _ call: () -> Result
) throws(SystemError) -> Result {
    while true {
        let result = call()
        if result != -1 { return result }
        let error = SystemError.last(operation())
        if error.number != SystemError.interrupted { throw error }
    }
}

extension SystemError {
    /// `EINTR`, for inlined code that does not import the C library.
    @usableFromInline static var interrupted: Int32 { EINTR }
}
