// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel
package import DBus
package import EventLoop

/// All sources of hints that are switched on.
@Loop
package final class HintSources {
    /// Gets what a source says when that has changed; nil when it says nothing any more.
    package var said: (@Loop (Source, SourceReport?) -> Void)?
    /// Is called when ``statuses`` has changed, after what was said.
    package var statusChanged: (@Loop () -> Void)?
    /// Is called when the machine has woken up from suspend.
    package var resumed: (@Loop () -> Void)?

    private var sources: [any HintSource] = []
    private var statusesTold: [SourceStatus] = []
    private var reportsTold: [SourceReport?] = []
    private var starting = 0
    private var waiting: CheckedContinuation<Void, Never>?
    private lazy var patience = Timer { [unowned self] in goOn() }

    /// Every manager on the bus that is known.
    private static let managers: [any Manager] = [ModemManager(), NetworkManager(), IWD()]

    /// Creates sources that do not look for anybody yet.
    ///
    /// - Parameters:
    ///   - connection: the bus on which the managers are; nil without one.
    ///   - rfkill: the device that tells of the radios.
    ///   - enabled: whom to listen to.
    package init(on connection: Connection?, rfkill: String, enabled: Set<Source>) {
        sources = [RfkillSource(path: rfkill)]
        if let connection {
            sources += Self.managers.map { ManagerFollower($0, on: connection) }
            sources.append(
                ManagerFollower(Logind(), on: connection) { [unowned self] signal in
                    if Logind.isWakeUp(signal) { resumed?() }
                })
        }
        sources = sources.filter { enabled.contains($0.source) }
        statusesTold = sources.map(\.status)
        reportsTold = sources.map(\.report)
        for (index, source) in sources.enumerated() {
            source.changed = { [unowned self] in changed(index) }
        }
    }

    /// Who is listened to, and how far one can rely on each.
    package var statuses: [(source: Source, status: SourceStatus)] { sources.map { ($0.source, $0.status) } }

    /// Looks for all sources, and gives those that are there a moment to say their first word, so that the first answer to
    /// an app is not taken back.
    ///
    /// - Parameter limit: how long to wait for those that hang.
    package func start(waitingAtMost limit: Duration) async {
        starting = sources.count
        for source in sources {
            Loop.task { [weak self] in
                await source.start()
                self?.starting -= 1
                self?.goOnIfReady()
            }
        }
        guard !isReady else { return }
        patience.arm(at: Loop.now + limit)
        await withCheckedContinuation { waiting = $0 }
    }

    /// Reads everything again.
    package func refresh() {
        for source in sources { source.refresh() }
    }

    /// Ends all watches; must be called before the sources are let go.
    package func cancel() {
        for source in sources { source.cancel() }
        patience.disarm()
        goOn()
    }

    private func changed(_ index: Int) {
        let source = sources[index]
        if source.report != reportsTold[index] {
            reportsTold[index] = source.report
            said?(source.source, source.report)
        }
        if source.status != statusesTold[index] {
            statusesTold[index] = source.status
            statusChanged?()
        }
        goOnIfReady()
    }

    private var isReady: Bool { starting == 0 && !statusesTold.contains(.asking) }

    private func goOnIfReady() {
        if isReady { goOn() }
    }

    private func goOn() {
        patience.disarm()
        waiting?.resume()
        waiting = nil
    }
}
