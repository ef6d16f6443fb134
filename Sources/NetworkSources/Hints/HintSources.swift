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

    /// A source that is listened to, and what was last passed on of it.
    private struct Followed {
        let source: any HintSource
        var status: SourceStatus
        var report: SourceReport?

        @Loop init(_ source: any HintSource) {
            self.source = source
            status = source.status
            report = source.report
        }
    }

    /// Makes every source that there is on this machine.
    private var makers: [(source: Source, make: @Loop () -> any HintSource)] = []
    private var enabled: Set<Source>
    private var followed: [Source: Followed] = [:]
    private var starting = 0
    private var waiting: CheckedContinuation<Void, Never>?
    private lazy var patience = Timer { [unowned self] in goOn() }

    /// Every manager on the bus that is known.
    private static var managers: [any Manager] {
        [
            ModemManager(), NetworkManager(), ConnMan(),
            // Each route takes some 300 bytes of a description: this is a hundredth of what a message may have.
            Networkd(namespace: NetworkNamespaceID.own) { RouteCount.isAtMost(1000) },
            IWD(),
        ]
    }

    /// Creates sources that do not look for anybody yet.
    ///
    /// - Parameters:
    ///   - connection: the bus on which the managers are; nil without one.
    ///   - rfkill: the device that tells of the radios.
    ///   - enabled: whom to listen to.
    package init(on connection: Connection?, rfkill: String, enabled: Set<Source>) {
        self.enabled = enabled
        makers = [(.rfkill, { @Loop in RfkillSource(path: rfkill) })]
        guard let connection else { return }
        makers += Self.managers.map { manager in (manager.source, { @Loop in ManagerFollower(manager, on: connection) })
        }
        makers.append(
            (
                .logind,
                { @Loop [unowned self] in
                    ManagerFollower(Logind(), on: connection) { signal in
                        if Logind.isWakeUp(signal) { self.resumed?() }
                    }
                }
            ))
    }

    /// Who is listened to, and how far one can rely on each.
    package var statuses: [(source: Source, status: SourceStatus)] {
        makers.compactMap { maker in followed[maker.source].map { (maker.source, $0.source.status) } }
    }

    /// Looks for all sources, and gives those that are there a moment to say their first word, so that the first answer to
    /// an app is not taken back.
    ///
    /// - Parameter limit: how long to wait for those that hang.
    package func start(waitingAtMost limit: Duration) async {
        begin()
        guard !isReady else { return }
        patience.arm(at: Loop.now + limit)
        await withCheckedContinuation { waiting = $0 }
    }

    /// Listens to these sources from now on; what the others have said is forgotten.
    package func listen(to enabled: Set<Source>) {
        guard enabled != self.enabled else { return }
        self.enabled = enabled
        for (name, entry) in followed where !enabled.contains(name) {
            followed[name] = nil
            entry.source.changed = nil
            entry.source.cancel()
            if entry.report != nil { said?(name, nil) }
        }
        begin()
        statusChanged?()
        goOnIfReady()
    }

    /// Reads everything again.
    package func refresh() {
        for entry in followed.values { entry.source.refresh() }
    }

    /// Ends all watches; must be called before the sources are let go.
    package func cancel() {
        for entry in followed.values { entry.source.cancel() }
        patience.disarm()
        goOn()
    }

    /// Begins to look for those that are enabled and not looked for yet.
    private func begin() {
        for (name, make) in makers where enabled.contains(name) && followed[name] == nil {
            let source = make()
            followed[name] = Followed(source)
            source.changed = { [weak self] in self?.changed(name) }
            starting += 1
            Loop.task { [weak self] in
                await source.start()
                // Whoever was switched off meanwhile has set up more since.
                if self?.followed[name]?.source !== source { source.cancel() }
                self?.starting -= 1
                self?.goOnIfReady()
            }
        }
    }

    private func changed(_ name: Source) {
        guard let entry = followed[name] else { return }
        let new = Followed(entry.source)
        followed[name] = new
        if new.report != entry.report { said?(name, new.report) }
        if new.status != entry.status { statusChanged?() }
        goOnIfReady()
    }

    private var isReady: Bool { starting == 0 && !followed.values.contains { $0.status == .asking } }

    private func goOnIfReady() {
        if isReady { goOn() }
    }

    private func goOn() {
        patience.disarm()
        waiting?.resume()
        waiting = nil
    }
}
