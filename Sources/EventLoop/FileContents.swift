// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Reads a whole file that is expected to be small: configuration, `/proc`, `/sys`.
///
/// - Parameters:
///   - path: the file.
///   - limit: how many bytes are accepted at the most.
/// - Returns: the bytes.
/// - Throws: an error of open(2) or read(2); `EFBIG` for a larger file, `EINVAL` for anything but a regular file
///   (a FIFO in a configuration folder must not stop the service).
public func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
    try contents(of: Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY), named: path, limit: limit)
}

/// Reads a whole file that has been opened already, as ``contents(of:limit:)`` does.
///
/// - Parameters:
///   - file: opened for reading, without waiting.
///   - path: what to name in errors.
///   - limit: how many bytes are accepted at the most.
/// - Returns: the bytes.
/// - Throws: the errors of ``contents(of:limit:)`` but those of open(2).
public func contents(of file: borrowing Descriptor, named path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let number = file.number
    var status = stat()
    _ = try retryingOnInterrupt("stat \(path)") { fstat(number, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(EINVAL, "read \(path), not a regular file") }

    // Files in /proc and /sys say that they are empty or one page long, so the size is only a first guess.
    var bytes: [UInt8] = []
    var capacity = max(512, min(Int(status.st_size) + 1, limit + 1))
    while true {
        let start = bytes.count
        var failure: SystemError?
        bytes.reserveCapacity(start + capacity)
        let chunk = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            do throws(SystemError) {
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer)) ?? 0
            } catch {
                failure = error
            }
        }
        if let failure { throw SystemError(failure.number, "read \(path)") }
        if chunk.isEmpty { return bytes }
        bytes += chunk
        if bytes.count > limit { throw SystemError(EFBIG, "read \(path)") }
        capacity = min(64 * 1024, limit + 1 - bytes.count + 1)
    }
}
