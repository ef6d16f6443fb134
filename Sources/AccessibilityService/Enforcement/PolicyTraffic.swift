// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import Enforcement
internal import PolicyStore

// What the groups of an app have sent and received is the app's.
extension PolicyEnforcement {
    /// What each app has sent and received since the last time, over all of its groups.
    func takeTraffic() -> [App: Traffic] {
        let owners = owners
        do throws(BackEndError) {
            let news = try enforcer.takeTraffic(of: Set(owners.keys))
            // Their last word.
            enforcer.forgetTraffic(of: Set(endedOwners.keys))
            endedOwners = [:]
            return news.reduce(into: [:]) { traffic, entry in
                if let app = owners[entry.key] { traffic[app, default: Traffic()] += entry.value }
            }
        } catch {
            log(.warning, "what apps have sent and received cannot be read: \(error)")
            return [:]
        }
    }

    /// How far that has been taken into account.
    var marks: [TrafficMark] {
        let owners = owners
        return enforcer.counters.marks.compactMap { group, traffic in
            owners[group].map { TrafficMark(group: group, app: $0, traffic: traffic) }
        }
    }

    private var owners: [UInt64: App] {
        planner.groups.values.reduce(into: endedOwners) { owners, group in
            if let app = group.app { owners[group.id] = app }
        }
    }
}
