// SPDX-License-Identifier: Apache-2.0

package import EventLoop
internal import Glibc

/// A program for a test that does not run on the loop; it is ended, if need be, when the test lets go of it.
package struct BlockingProcess: ~Copyable {
    /// The process id, which stays its own until the process has been waited for.
    package let pid: Int32

    /// Starts a program that is found on the search path.
    ///
    /// - Parameter arguments: the program's name first.
    /// - Throws: the error of posix_spawnp(3).
    package init(_ arguments: String...) throws(SystemError) {
        var vector: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for argument in vector { free(argument) } }
        var pid: pid_t = 0
        let status = posix_spawnp(&pid, arguments[0], nil, nil, &vector, environ)
        guard status == 0 else { throw SystemError(status, "start \(arguments[0])") }
        self.pid = pid
    }

    /// Waits for the end of the program.
    ///
    /// - Returns: the status as in waitpid(2), 0 for success.
    package consuming func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
        discard self
        return status
    }

    /// Ends the program.
    ///
    /// - Returns: the status as in waitpid(2).
    @discardableResult
    package consuming func end() -> Int32 {
        kill(pid, SIGKILL)
        return wait()
    }

    deinit {
        kill(pid, SIGKILL)
        while waitpid(pid, nil, 0) == -1, errno == EINTR {}
    }
}
