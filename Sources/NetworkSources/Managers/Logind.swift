// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// The manager of sessions (systemd-logind, elogind), which tells when the machine has slept.
///
/// It says nothing about the network; but after a suspend everything may be different, and not everybody tells. Source:
/// org.freedesktop.login1(5).
struct Logind: Manager {
    let source = Source.logind
    let name: BusName = "org.freedesktop.login1"
    let signals = [MatchRule(path: Self.path, interface: Self.manager, member: "PrepareForSleep")]

    private static let path: ObjectPath = "/org/freedesktop/login1"
    private static let manager: InterfaceName = "org.freedesktop.login1.Manager"

    /// True for the signal that comes after a suspend; the one before it has the argument "true".
    static func isWakeUp(_ signal: Signal) -> Bool {
        signal.arguments.first?.boolean == false
    }

    /// The answer is not used: it shows that somebody is there who will send the signal.
    func questions(given view: ManagerView) -> [Question] {
        [Question(Self.path, .properties, "Get", [Self.manager.text, "PreparingForSleep"])]
    }

    func take(_ answer: [Value], to question: Question, into view: inout ManagerView) {}

    func take(_ signal: Signal, into view: inout ManagerView) -> [Question] { [] }

    func report(of view: ManagerView) -> SourceReport { SourceReport() }
}
