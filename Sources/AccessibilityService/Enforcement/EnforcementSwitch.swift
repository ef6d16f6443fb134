// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import DBus
internal import Enforcement
internal import EventLoop

/// Switches the enforcement on and off, and has its table kept while no process runs.
@Loop
final class EnforcementSwitch {
    /// Whether the settings want it; nil before they were read.
    var isWanted: Bool? {
        didSet { if isWanted != oldValue { follow() } }
    }

    /// Is told of an app for which ``isEnforced(_:)`` has another answer now; nil stands for all.
    var changed: (@Loop (App?) -> Void)?

    private let root: String?
    private let manager: ServiceManager
    private let meter: UsageMeter
    private let log: Log
    private var kept: Int32?
    private var enforcement: PolicyEnforcement?
    private var keeper = NftablesBackEnd.Keeper.kernel
    private var failure: String?

    /// The name of the socket in the manager's store.
    private static let name = "nftables"

    /// Finds what another process has left; nothing is enforced yet.
    init(_ options: Options, manager: ServiceManager, meter: UsageMeter, log: Log) {
        // Whoever tries the service out on a bus of their own does not want rules in the kernel of the machine.
        root = options.cgroupRoot ?? (options.bus == .system ? CgroupTree.usualRoot : nil)
        self.manager = manager
        self.meter = meter
        self.log = log
        kept = ServiceManager.takeKept(Self.name)?.release()
    }

    /// Whether links and rules are asked for.
    var isOn: Bool { enforcement != nil }

    /// Whether the kernel is kept to the policy, or why not; for people.
    var status: String {
        if let enforcement { return enforcement.status }
        if let failure { return failure }
        return root == nil ? "only on the system bus, or with --cgroup-root" : "switched off in the settings"
    }

    /// Whether the kernel refuses an app what its policy forbids.
    func isEnforced(_ app: App) -> Bool {
        enforcement?.isEnforced(app) ?? false
    }

    /// Takes in the rules and the network.
    func update(_ rules: PolicyRules, _ network: NetworkReducer?) {
        enforcement?.update(rules, network)
    }

    /// Ends the watch.
    func cancel() {
        meter.finish()
        enforcement?.cancel()
    }

    /// The service ends as it was told to.
    ///
    /// The manager knows whether it is to start again, and lets go of what it has kept if
    /// not; without a manager nobody is left to do so.
    func stop() {
        meter.finish()
        if keeper == .kernel { enforcement?.remove() }
    }

    private func follow() {
        guard isWanted == true, let root else { return end() }
        do throws(SystemError) {
            enforcement = try PolicyEnforcement(backEnd(), root: root, meter: meter, log: log) { [unowned self] in
                changed?($0)
            }
            failure = nil
        } catch {
            failure = "\(error)"
            log(.warning, "the policy is not enforced: \(error)")
        }
    }

    private func end() {
        guard enforcement != nil || kept != nil else { return }
        meter.finish()
        enforcement?.remove()
        enforcement?.cancel()
        enforcement = nil
        changed?(nil)
        if let number = kept { try? NftablesBackEnd(adopting: Descriptor(owning: number)).remove() }
        kept = nil
        manager.notify("FDSTOREREMOVE=1", "FDNAME=\(Self.name)")
    }

    private func backEnd() throws(SystemError) -> NftablesBackEnd {
        if let number = kept {
            kept = nil
            do throws(SystemError) {
                let backEnd = try NftablesBackEnd(adopting: Descriptor(owning: number))
                keeper = .descriptorStore
                return backEnd
            } catch {
                log(.warning, "what the service manager has kept is of no use: \(error)")
            }
        }
        keeper = manager.isPresent ? .descriptorStore : .kernel
        let backEnd = try NftablesBackEnd(keptBy: keeper)
        _ = manager.keep(backEnd.descriptor, as: Self.name)
        return backEnd
    }
}
