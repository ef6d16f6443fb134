// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel
internal import CLinux
package import EventLoop
internal import Glibc

/// Follows the radio switches of the kernel through `/dev/rfkill`.
///
/// On opening the device tells of every radio, then of every change. It is not waited for if it is missing, as in a container: it
/// is there from the start, or after a resume at the latest.
@Loop
package final class RfkillSource: HintSource {
    package let source = Source.rfkill
    package private(set) var status = SourceStatus.absent
    package private(set) var report: SourceReport?
    package var changed: (@Loop () -> Void)?

    private let path: String
    private var device: Descriptor?
    private var watch: DescriptorSource?
    private var radios = Radios()

    /// Creates a source; nothing happens before ``start()``.
    ///
    /// - Parameter path: the device, or a FIFO that stands for it.
    package init(path: String) {
        self.path = path
    }

    package func start() async {
        open()
    }

    /// While the device is open nothing is missed: the kernel keeps what is not read.
    package func refresh() {
        if watch == nil { open() }
    }

    package func cancel() {
        watch?.cancel()
        watch = nil
        device = nil
        radios = Radios()
    }

    private func open() {
        do throws(SystemError) {
            let device = try Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
            watch = try DescriptorSource(device.number, interest: [.readable, .once]) { [unowned self] _ in read() }
            self.device = consume device
            read()
        } catch {
            end(Self.meansAbsent.contains(error.number) ? .absent : .refused("\(error)"))
        }
    }

    /// There is no such file, or nothing behind it.
    private static let meansAbsent: Set<Int32> = [ENOENT, ENODEV, ENXIO]

    /// Reads all that there is.
    ///
    /// The end of a FIFO is no end: its next writer is heard.
    private func read() {
        do throws(SystemError) {
            while let event = try nextEvent() { radios.take(event) }
            conclude(.live, SourceReport(device: radios.hint))
        } catch {
            end(.refused("\(error)"))
        }
    }

    /// The next event, nil if there is none now.
    ///
    /// The kernel gives one event with each read, cut to what all versions have unless more is asked for; a FIFO gives as many
    /// bytes as are wanted.
    private func nextEvent() throws(SystemError) -> rfkill_event? {
        var event = rfkill_event()
        let size = MemoryLayout.size(ofValue: event)
        var failure: SystemError?
        let count = withUnsafeMutableBytes(of: &event) { bytes -> Int in
            do throws(SystemError) { return try device?.read(into: bytes) ?? 0 } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        guard count == 0 || count == size else {
            throw SystemError(EBADMSG, "read \(path): \(count) bytes in the place of \(size)")
        }
        return count == 0 ? nil : event
    }

    private func end(_ status: SourceStatus) {
        cancel()
        conclude(status, nil)
    }

    private func conclude(_ status: SourceStatus, _ report: SourceReport?) {
        guard status != self.status || report != self.report else { return }
        self.status = status
        self.report = report
        changed?()
    }
}

extension Readiness {
    /// Reports once for each change (`EPOLLET`).
    ///
    /// The end of a FIFO is not, as it otherwise would be, reported in every turn.
    fileprivate static let once = Readiness(rawValue: EPOLLET.rawValue)
}
