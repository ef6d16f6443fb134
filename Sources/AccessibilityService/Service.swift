// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import AppIdentity
internal import DBus
internal import Enforcement
internal import EventLoop
internal import Glibc
internal import NetworkSources
internal import PolicyStore
internal import ServiceNames

/// Where everything meets: events of the kernel, the files and the bus go into the machine, its effects come out here.
@Loop
final class Service {
    /// Is called once if the bus closes the connection.
    var disconnected: (@Loop () -> Void)?
    /// Gets the line for the service manager whenever the network has changed.
    var statusChanged: (@Loop (String) -> Void)?

    private(set) var machine: Accessibility
    private let options: Options
    private let log: Log
    private var store: PolicyStore?
    private var kernel: KernelSource?
    private var hints: HintSources?
    private let enforcement: EnforcementSwitch
    /// What apps have sent and received.
    let usage: UsageMeter
    private var callers: Callers?
    private var bus: BusPresence?
    private lazy var settleTimer = Timer { [unowned self] in handle(.settleTimeReached) }
    private lazy var dialogTimer = Timer { [unowned self] in handle(.dialog(.timeReached)) }
    private var waitingForSettling = SettlingQueue()

    /// Reads the policy and the network for the first time.
    ///
    /// - Throws: if the kernel gives no netlink socket or no inotify instance: without these there is nothing to serve.
    init(_ options: Options, manager: ServiceManager, log: Log) throws(SystemError) {
        self.options = options
        self.log = log
        usage = UsageMeter(root: options.root, log: log)
        enforcement = EnforcementSwitch(options, manager: manager, meter: usage, log: log)
        machine = Accessibility()
        let store = try PolicyStore(
            root: options.root, changed: { [unowned self] in handle(.rulesReplaced($0)) },
            settingsChanged: { [unowned self] in apply($0) },
            problems: { problems in for problem in problems { log(.warning, "\(problem)") } })
        self.store = store
        store.removeLeftovers()
        machine = Accessibility(rules: store.rules, times: store.settings.settleTimes)
        enforcement.isWanted = store.settings.isEnforced
        let kernel = try KernelSource(sysfs: options.sysfs, reportsLinks: enforcement.isOn) { [unowned self] in
            handle(.kernelReported($0, immediately: false))
        }
        self.kernel = kernel
        handle(.kernelReported(kernel.current, immediately: false))
    }

    /// Goes on the bus; the answers are ready, so the name comes last.
    ///
    /// - Parameter connection: to the bus, which has not answered yet.
    /// - Throws: why the bus does not let the service serve.
    func serve(on connection: Connection) async throws(ServeError) {
        let callers = Callers(connection)
        self.callers = callers
        callers.left = { [unowned self] in
            handle(.gone(Peer($0.text)))
            self.bus?.gone($0)
        }
        callers.runningChanged = { [unowned self] in self.bus?.appChanged($0) }
        do throws(CallError) {
            // First, since whom the managers are is told by the same rule.
            try callers.start()
        } catch {
            throw .bus(error)
        }
        await listenToManagers(on: connection)
        let bus = BusPresence(connection, service: self, callers: callers)
        self.bus = bus
        enforcement.changed = { [unowned self] in self.bus?.enforcementChanged($0) }
        usage.changed = { [unowned self] in self.bus?.usageChanged($0) }
        connection.disconnected = { [unowned self] in disconnected?() }
        let request: SentCall
        do throws(CallError) {
            request = try connection.askForName(.service)
            try await connection.welcomed()
            try await callers.ready()
        } catch {
            throw .bus(error)
        }
        try await bus.takeName(request)
    }

    /// Managers are on the system bus, also when this service is on another one for development.
    private func listenToManagers(on connection: Connection) async {
        var managerBus: Connection? = connection
        if options.bus == .session { managerBus = try? await Connection.open(.system) }
        let hints = HintSources(
            on: managerBus, rfkill: options.rfkill, enabled: store?.settings.sources ?? [])
        self.hints = hints
        hints.said = { [unowned self] in handle(.hinted($0, $1)) }
        hints.statusChanged = { [unowned self] in self.bus?.sourcesChanged() }
        hints.resumed = { [unowned self] in
            kernel?.refresh()
            self.hints?.refresh()
        }
        await hints.start(waitingAtMost: .milliseconds(250))
    }

    /// New settings count at once, like new rules.
    private func apply(_ settings: Settings) {
        handle(.settleTimesReplaced(settings.settleTimes))
        hints?.listen(to: settings.sources)
        enforcement.isWanted = settings.isEnforced
        kernel?.reportLinks(enforcement.isOn)
        enforcement.update(machine.rules, machine.network)
        followUsage()
    }

    /// Gives the name back and leaves the bus.
    func close() async {
        await bus?.close()
        enforcement.stop()
    }

    /// Ends all watches; must be called before the service is let go, since the loop goes on.
    func cancel() {
        enforcement.cancel()
        hints?.cancel()
        kernel?.cancel()
        store?.cancel()
        settleTimer.disarm()
    }

    // MARK: The machine

    func handle(_ event: Accessibility.Event) {
        let oldRules = machine.rules
        let effects = machine.handle(event, at: Loop.now)
        // Before anybody is told: who hears of a policy can rely on it.
        let concernsPackets =
            switch event {
            case .kernelReported, .hinted, .rulesReplaced: true
            default: false
            }
        if concernsPackets { enforcement.update(machine.rules, machine.network) }
        for effect in effects { perform(effect) }
        if concernsPackets { followUsage() }
        if case .rulesReplaced = event { bus?.rulesChanged(since: oldRules) }
    }

    /// After the links: what was counted until now is read before nobody asks any more, and after is read soon.
    private func followUsage() {
        if usage.isCounting { usage.follow(machine.network?.snapshot) }
    }

    private func perform(_ effect: Accessibility.Effect) {
        switch effect {
        case .armSettleTimer(let deadline): settleTimer.arm(at: deadline)
        case .disarmSettleTimer: settleTimer.disarm()
        case .networkChanged(let change):
            guard let bus else { return announce(change) }
            bus.announceLater { [unowned self] in announce(change) }
        case .tell(let peer, let old, let new):
            bus?.tell(BusName(unchecked: peer.name), from: old, to: new)
        case .searchUnderlay(let hints): kernel?.search(with: hints)
        case .settled: waitingForSettling.resumeAll()
        case .dialog(let effect): perform(effect)
        }
    }

    private func announce(_ change: Accessibility.NetworkChange) {
        bus?.networkChanged(change)
        statusChanged?(status)
    }

    private func perform(_ effect: Accessibility.DialogEffect) {
        switch effect {
        case .showAlert(let app, let restriction): bus?.agents.showAlert(of: app, restriction)
        case .ask(let app, let number): bus?.agents.ask(about: app, number)
        case .close(let app): bus?.agents.close(app)
        case .store(let app, let answer):
            Loop.task { [weak self] in
                let isStored: Void? = try? await self?.store(PolicyChange(.app(app.id), answer), for: app.uid)
                self?.handle(.dialog(.answerStored(app, isStored != nil)))
            }
        case .tellAlert(let peer, let isOn): bus?.tellAlert(BusName(unchecked: peer.name), isOn: isOn)
        case .askingChanged(let app): bus?.appChanged(app)
        case .armTimer(let deadline): dialogTimer.arm(at: deadline)
        case .disarmTimer: dialogTimer.disarm()
        }
    }

    // MARK: What the interfaces ask for

    /// Re-reads the kernel and waits for an open settling window, at most a second.
    func check() async {
        kernel?.refresh()
        if machine.isSettling { await waitingForSettling.wait(atMost: .seconds(1)) }
    }

    /// Changes a rule of a person; when it returns, the change is on the disk and in force.
    func store(_ change: PolicyChange, for uid: UInt32) async throws(PolicyWriteError) {
        guard let store else { throw .storage(SystemError(EBADF, "store before the files have been read")) }
        do throws(PolicyWriteError) {
            try await store.write(change, for: uid)
        } catch {
            if case .storage(let cause) = error { log(.error, "the policy of \(uid) could not be stored: \(cause)") }
            throw error
        }
    }

    /// What a connection sees when it reads a property.
    ///
    /// Bindings cache what they read, so it is kept true from now on: the connection becomes an observer.
    func viewRead(by sender: BusName, _ callers: Callers) -> AccessView {
        let peer = Peer(sender.text)
        if let view = view(toldTo: peer) { return view }
        let caller = callers.caller(of: sender)
        handle(.read(peer, caller))
        return machine.view(of: caller)
    }

    /// What an observer has been told; nil if the peer does not observe.
    func view(toldTo peer: Peer) -> AccessView? {
        machine.view(toldTo: peer)
    }

    /// What the kernel source has to say about itself, for `Explain`.
    var sourceFacts: [(String, Value)] {
        guard let statistics = kernel?.statistics else { return [] }
        let statuses = hints?.statuses.map { ($0.source.rawValue, Value.string($0.status.text)) } ?? []
        return [
            ("Sources", .strings(sources)), ("SourceStatus", .vardict(statuses)),
            ("KernelQuestions", .uint64(UInt64(statistics.questions))),
            ("KernelOverruns", .uint64(UInt64(statistics.overruns))),
            ("KernelFailures", .uint64(UInt64(statistics.failures))),
            ("Observers", .uint64(UInt64(machine.observerCount))), ("Enforcement", .string(enforcement.status)),
        ]
    }

    /// The names of the sources that have something to say.
    var sources: [String] {
        let live = hints?.statuses.filter { $0.status == .live }.map(\.source) ?? []
        return ([.kernel] + live).map(\.rawValue)
    }

    /// Whether the kernel refuses an app what its policy forbids, wherever it runs as far as anybody knows.
    func isEnforced(_ app: App) -> Bool {
        enforcement.isEnforced(app) && callers?.isInItsUnits(app) ?? true
    }

    /// One line for people: what the network is like.
    var status: String {
        let paths = machine.snapshot?.preferredPaths ?? []
        guard !paths.isEmpty else { return "no path to the internet" }
        var words: [String] = []
        for path in paths {
            let word = "\(path.interface) (\(path.transport.word))"
            if !words.contains(word) { words.append(word) }
        }
        return words.joined(separator: ", ")
    }
}

/// Why the service cannot serve.
enum ServeError: Error, CustomStringConvertible {
    case bus(CallError)
    case nameTaken
    case nameRefused(String)

    var description: String {
        switch self {
        case .bus(let error): error.description
        case .nameTaken: "\(WireNames.service) is owned already: another instance serves this bus"
        case .nameRefused(let text): "the bus does not give the name \(WireNames.service): \(text)"
        }
    }
}

/// Tasks that wait until the network has settled.
@Loop
final class SettlingQueue {
    private final class Waiter {
        var continuation: CheckedContinuation<Void, Never>?
        var timer: Timer?
        nonisolated init() {}
    }

    private var waiters: [Waiter] = []

    nonisolated init() {}

    func wait(atMost limit: Duration) async {
        let waiter = Waiter()
        waiters.append(waiter)
        await withCheckedContinuation { continuation in
            waiter.continuation = continuation
            let timer = Timer { [unowned self] in resume(waiter) }
            timer.arm(at: Loop.now + limit)
            waiter.timer = timer
        }
    }

    func resumeAll() {
        let all = waiters
        for waiter in all { resume(waiter) }
    }

    private func resume(_ waiter: Waiter) {
        waiters.removeAll { $0 === waiter }
        waiter.timer?.disarm()
        waiter.continuation?.resume()
        waiter.continuation = nil
    }
}
