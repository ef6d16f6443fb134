// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel
internal import CLinux
package import EventLoop
internal import Netlink

/// Watches the kernel's network configuration and reports where packets to the internet go.
///
/// Notifications of the kernel are only a reason to ask again: some changes are not announced (the IPv4 default route goes
/// silently with its link or its last address), and others are lost when many come at once. The first one is followed by
/// the question at once; while more keep coming, one question is asked every few milliseconds. Without notifications
/// there is no timer.
///
/// The source speaks of the namespace in which it was created, and sends nothing to anybody but the kernel.
@Loop
package final class KernelSource {
    /// What has happened so far, for people and logs.
    package struct Statistics: Hashable, Sendable {
        /// How often the routes were asked for.
        package var questions = 0
        /// How often notifications were lost, and everything was read again.
        package var overruns = 0
        /// How often the kernel could not be asked; it is tried again.
        package var failures = 0
        /// What went wrong the last time.
        package var lastFailure: SystemError?
    }

    /// What the kernel says now; the first answer is there when the source is.
    package private(set) var current = KernelReport()
    /// What has happened so far.
    package private(set) var statistics = Statistics()

    /// What must be asked for again.
    private enum Stale: Comparable {
        case nothing, routes, everything
    }

    /// Whether ``KernelReport/links`` are wanted.
    private var reportsLinks: Bool
    private let events: NetlinkSocket
    private let requests: NetlinkSocket
    private let classifier: LinkClassifier
    private var finder: PathFinder
    private let report: @Loop (KernelReport) -> Void
    private var watch: DescriptorSource?
    private var pause: Timer?
    private var stale = Stale.everything
    /// True from an overrun until the queue has been empty.
    private var isCongested = false
    /// Whether there is an address, nil while that is not known: it is asked for without a path only.
    private var hasAddress: Bool?

    /// How long after a question the next one is asked at the earliest, and after one that has failed.
    private static let pauseLength = Duration.milliseconds(5)
    private static let retryDelay = Duration.milliseconds(200)
    /// How much the kernel may queue: some thousand messages, which is memory of its own and only used in a storm.
    private static let queueSize: Int32 = 1 << 20
    /// How many messages are read at a stretch, so that a storm leaves time for others.
    private static let batchSize = 1024

    /// Subscribes, then reads everything, so that nothing that happens in between is missed.
    ///
    /// - Parameters:
    ///   - sysfs: where sysfs is mounted; link classes are read below it.
    ///   - reportsLinks: whether to report all links, beside those that routes lead to.
    ///   - report: gets each report that differs from ``current``, which has its value by then.
    /// - Throws: an error of a netlink socket, such as `EAFNOSUPPORT` where a sandbox forbids them.
    package init(
        sysfs: String = "/sys", reportsLinks: Bool = false, report: @escaping @Loop (KernelReport) -> Void
    ) throws(SystemError) {
        self.report = report
        self.reportsLinks = reportsLinks
        events = try NetlinkSocket(NETLINK_ROUTE, queueSize: Self.queueSize)
        requests = try NetlinkSocket(NETLINK_ROUTE)
        classifier = LinkClassifier(sysfs: sysfs)
        finder = PathFinder(socket: requests, classifier: classifier)
        for group in Self.groups { try events.join(group.rawValue) }
        // Linux 5.3 is the first to have next-hop objects; without them there is nothing to be told.
        do { try events.join(RTNLGRP_NEXTHOP.rawValue) } catch {}
        _ = try update()
        pause = Timer { [unowned self] in pauseEnded() }
        watch = try DescriptorSource(events.descriptor) { [unowned self] _ in handleEvents() }
    }

    private static let groups = [
        RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
        RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE,
    ]

    /// Reads everything again and reports a change before it returns: for a question that must not miss the latest
    /// notification, and after suspend.
    package func refresh() {
        forgetEverything()
        drain()
        catchUp()
    }

    /// Reports all links from now on, or no longer.
    package func reportLinks(_ isWanted: Bool) {
        guard reportsLinks != isWanted else { return }
        reportsLinks = isWanted
        refresh()
    }

    /// Takes other hints for what is under tunnels and bridges, and looks again; in a storm a few milliseconds later.
    package func search(with hints: UnderlayHints) {
        finder.hints = hints
        stale = max(stale, .routes)
        if pause?.deadline == nil { catchUp() }
    }

    /// Ends the watch; must be called before the source is let go.
    package func cancel() {
        watch?.cancel()
        watch = nil
        pause?.disarm()
        pause = nil
    }

    // MARK: Turns

    private func handleEvents() {
        drain()
        if pause?.deadline == nil {
            catchUp()
        } else {
            // There is more to come; it is read at the end of the pause. Only an overrun comes here until then, since epoll
            // reports errors unasked; reading has taken it back.
            watchEvents(false)
        }
    }

    private func pauseEnded() {
        drain()
        catchUp()
    }

    /// Asks if there is a reason to, then pauses; otherwise waits for the next notification.
    private func catchUp() {
        guard stale != .nothing else {
            watchEvents(true)
            return
        }
        var isChanged = false
        var delay = Self.pauseLength
        do {
            isChanged = try update()
        } catch {
            // What was known stays: no knowledge is no reason to call anybody offline.
            note(error)
            delay = Self.retryDelay
        }
        // First of all what somebody may wait for.
        if isChanged { report(current) }
        pause?.arm(at: Loop.now + delay)
    }

    private func watchEvents(_ isOn: Bool) {
        do {
            try watch?.setInterest(isOn ? .readable : [])
        } catch {
            // Out of kernel memory: look by the timer until it is back.
            pause?.arm(at: Loop.now + Self.retryDelay)
        }
    }

    // MARK: Reading

    /// Takes in what the kernel has announced.
    private func drain() {
        for _ in 0..<Self.batchSize {
            do throws(SystemError) {
                switch try events.receive() {
                case .nothing:
                    // Since the overrun the kernel has gone on to drop messages, without an error, up to here.
                    if isCongested { forgetEverything() }
                    isCongested = false
                    return
                case .datagram(let bytes): handle(bytes)
                case .overrun:
                    isCongested = true
                    missedSomething()
                }
            } catch {
                note(error)
                forgetEverything()
                return
            }
        }
    }

    private func missedSomething() {
        statistics.overruns += 1
        forgetEverything()
    }

    private func note(_ failure: SystemError) {
        statistics.failures += 1
        statistics.lastFailure = failure
    }

    private func forgetEverything() {
        classifier.forgetAll()
        hasAddress = nil
        stale = .everything
    }

    private func handle(_ datagram: UnsafeRawBufferPointer) {
        var messages = NetlinkMessages(datagram)
        while let message = messages.next() {
            switch Int(message.type) {
            case RTM_NEWLINK, RTM_DELLINK:
                guard let index = finder.links.update(message) else { continue }
                if finder.links[index] == nil { classifier.forget(index) }
                hasAddress = nil
            case RTM_NEWADDR, RTM_DELADDR:
                hasAddress = nil
            case RTM_NEWROUTE, RTM_DELROUTE:
                guard concernsInternet(message) else { continue }
            default: break
            }
            stale = max(stale, .routes)
        }
        if messages.isDamaged { missedSomething() }
    }

    /// Asks the kernel for what may have changed.
    ///
    /// - Returns: true if ``current`` has another value now.
    private func update() throws(SystemError) -> Bool {
        if stale == .everything { try finder.links.read(from: requests) }
        stale = .routes
        statistics.questions += 1
        let routes = try finder.routes()
        let hasPath = routes.ipv4 != nil || routes.ipv6 != nil
        // A path has an address at its near end.
        let hasAddress = hasPath ? true : try askForAddress()
        let links = reportsLinks ? try finder.waysOut() : []
        let next = KernelReport(routes: routes, hasAddress: hasAddress, links: links)
        stale = .nothing
        defer { current = next }
        return next != current
    }

    private func askForAddress() throws(SystemError) -> Bool {
        if let hasAddress { return hasAddress }
        let answer = try finder.links.haveAddress(askingOver: requests)
        hasAddress = answer
        return answer
    }
}
