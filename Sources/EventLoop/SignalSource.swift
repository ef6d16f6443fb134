// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Delivers signals of the process as events of the loop, through signalfd(2).
///
/// The signals stay blocked for the life of the process, so that none is lost between two sources. A thread inherits the
/// mask of its creator: create the source before anything that starts a thread.
@Loop
public final class SignalSource {
    private let descriptor: Descriptor
    private var source: DescriptorSource?

    /// Blocks the signals and starts to deliver them.
    ///
    /// - Parameters:
    ///   - signals: such as `SIGTERM`.
    ///   - handler: gets the number of the signal.
    /// - Throws: the error of signalfd(2).
    public init(_ signals: [Int32], handler: @escaping @Loop (Int32) -> Void) throws(SystemError) {
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in signals { sigaddset(&mask, signal) }
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        descriptor = try Descriptor("signalfd") {
            signalfd(-1, &mask, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        }
        source = try DescriptorSource(descriptor.number) { [unowned self] _ in
            var info = signalfd_siginfo()
            while read(descriptor.number, &info, MemoryLayout.size(ofValue: info)) == MemoryLayout.size(ofValue: info) {
                handler(Int32(bitPattern: info.ssi_signo))
            }
        }
    }

    /// Ends the delivery.
    public func cancel() {
        source?.cancel()
        source = nil
    }
}
