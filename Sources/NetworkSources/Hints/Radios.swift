// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import CLinux

/// The radios of the machine, and which of them are switched off; what `rfkill list` shows.
///
/// Source: `linux/rfkill.h`.
struct Radios {
    /// How many are kept; what comes after these is as if it were not there.
    static let limit = 1024

    private struct Radio {
        var type: UInt32
        var isSoftBlocked: Bool
        var isHardBlocked: Bool
        var isBlocked: Bool { isSoftBlocked || isHardBlocked }
    }

    private var radios: [UInt32: Radio] = [:]

    /// The radios that make a network.
    ///
    /// Receivers (GPS, FM) do not, nor do the short ranges of NFC and of UWB, which Linux only
    /// uses to measure distances; a type that is newer than this is none either.
    private static let networkTypes: Set<UInt32> = [
        RFKILL_TYPE_WLAN.rawValue, RFKILL_TYPE_BLUETOOTH.rawValue, RFKILL_TYPE_WIMAX.rawValue,
        RFKILL_TYPE_WWAN.rawValue,
    ]

    /// Takes an event in; an operation that is newer than this changes nothing.
    mutating func take(_ event: rfkill_event) {
        let radio = Radio(type: UInt32(event.type), isSoftBlocked: event.soft != 0, isHardBlocked: event.hard != 0)
        switch UInt32(event.op) {
        case RFKILL_OP_ADD.rawValue, RFKILL_OP_CHANGE.rawValue:
            guard radios[event.idx] != nil || radios.count < Self.limit else { return }
            radios[event.idx] = radio
        case RFKILL_OP_DEL.rawValue:
            radios[event.idx] = nil
        case RFKILL_OP_CHANGE_ALL.rawValue:
            for (index, other) in radios where radio.type == RFKILL_TYPE_ALL.rawValue || radio.type == other.type {
                radios[index]?.isSoftBlocked = radio.isSoftBlocked
            }
        default: break
        }
    }

    /// What this means: airplane mode if there are radios, and all are off; no mobile data if that is so of the modems'.
    var hint: DeviceHint {
        let networks = radios.values.filter { Self.networkTypes.contains($0.type) }
        let modems = networks.filter { $0.type == RFKILL_TYPE_WWAN.rawValue }
        return DeviceHint(
            isAirplaneMode: networks.isEmpty ? nil : networks.allSatisfy(\.isBlocked),
            mobileData: !modems.isEmpty && modems.allSatisfy(\.isBlocked) ? .off : nil)
    }
}
