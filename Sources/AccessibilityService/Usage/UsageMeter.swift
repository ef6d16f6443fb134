// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import EventLoop
internal import PolicyStore

/// Reads what the kernel counts into the books.
///
/// The kernel counts by itself. It is asked every 45 seconds while there is a path that costs money, so that a power cut takes
/// no more than a minute away; else only when something ends: such a path, an app, the service. Without all that there is no
/// timer.
@Loop
final class UsageMeter {
    /// Is told of the apps whose account has grown; nil stands for all, with a new month.
    var changed: (@Loop (Set<App>?) -> Void)?
    /// Where traffic is taken from; nil while nothing is counted.
    weak var source: PolicyEnforcement?
    /// Whether there is something to read.
    var isCounting: Bool { source != nil }

    /// The month that the last reading was in; what is said of the apps is about this one.
    private(set) lazy var month = CalendarDay.today.month

    private let store: UsageStore
    private let books: UsageBooks
    private let log: Log
    /// Whether there is a path that costs money; nil before anything is known and counted.
    private var hasCostlyPath: Bool?
    private var lastReading: Duration?
    private var savedMarks: Set<TrafficMark> = []
    private var lastSave = Duration.zero
    private lazy var timer = Timer { [unowned self] in read() }

    private static let interval = Duration.seconds(45)
    /// Counters of an app that has ended go within a second.
    private static let delayAfterEnd = Duration.milliseconds(250)
    /// Who asks more often gets the same answer again.
    private static let shortestInterval = Duration.milliseconds(100)

    init(root: String, log: Log) {
        store = UsageStore(root: root)
        books = UsageBooks(store, log: log)
        self.log = log
        store.removeLeftovers()
    }

    /// How far the counters have been read that another process has left behind.
    func loadMarks() -> [TrafficMark] {
        let marks = store.loadMarks { log(.warning, "\($0)") }
        savedMarks = Set(marks)
        return marks
    }

    // MARK: What happens

    /// The network has changed, settled or not, or it may be that something is counted from now on.
    func follow(_ network: NetworkSnapshot?) {
        guard let network, source != nil else { return }
        let isCostly = network.preferredPaths.contains { $0.transport == .cellular || $0.isMetered }
        guard isCostly != hasCostlyPath else { return }
        hasCostlyPath = isCostly
        read()
    }

    /// An app, or one of several groups of an app, has ended.
    func groupEnded() {
        let soon = Loop.now + Self.delayAfterEnd
        if timer.deadline.map({ $0 > soon }) ?? true { timer.arm(at: soon) }
    }

    /// Nothing will be counted any more, or by another process.
    func finish() {
        guard source != nil else { return }
        hasCostlyPath = false
        read()
        source = nil
    }

    // MARK: What is asked for

    /// A month of a person, up to now.
    ///
    /// - Parameters:
    ///   - uid: the person.
    ///   - wanted: nil for the present one.
    /// - Returns: empty if nothing was counted.
    func usage(of uid: UInt32, in wanted: CalendarMonth?) -> UsageMonth {
        if lastReading.map({ Loop.now - $0 >= Self.shortestInterval }) ?? true { read() }
        let wanted = wanted ?? month
        return books.usage(of: uid, in: wanted, isKept: wanted == month)
    }

    /// What an app had sent and received in ``month`` at the last reading.
    func total(of app: App) -> Traffic {
        books.usage(of: app.uid, in: month, isKept: true).total(of: app.id)
    }

    // MARK: Reading

    private func read() {
        timer.disarm()
        let today = CalendarDay.today
        let news = source?.takeTraffic() ?? [:]
        for (app, traffic) in news { books.add(traffic, of: app, on: today) }
        lastReading = Loop.now
        let isNewMonth = today.month != month
        month = today.month
        let isDue = Loop.now - lastSave >= Self.interval
        if isNewMonth || isDue || hasCostlyPath != true { save() }
        // Readings in between do not put the next save off.
        if hasCostlyPath == true, source != nil { timer.arm(at: lastSave + Self.interval) }
        if isNewMonth { changed?(nil) } else if !news.isEmpty { changed?(Set(news.keys)) }
    }

    /// The marks first: should the machine stop in between, at most a minute is missing, and nothing is there twice.
    private func save() {
        lastSave = Loop.now
        saveMarks()
        books.save(keeping: month)
    }

    private func saveMarks() {
        guard let marks = source.map({ Set($0.marks) }), marks != savedMarks else { return }
        do throws(SystemError) {
            try store.saveMarks(Array(marks))
            savedMarks = marks
        } catch {
            log(.warning, "after a crash some usage may be counted twice: \(error)")
        }
    }
}
