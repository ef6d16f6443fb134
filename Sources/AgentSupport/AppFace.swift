// SPDX-License-Identifier: Apache-2.0

internal import Desktop

/// How an app looks to the person.
struct AppFace: Hashable {
    /// The name of its desktop file, or the id.
    let name: String
    /// For `Notify`: the name of an icon, or the address of a file.
    let icon: String

    /// Looks an app up.
    ///
    /// - Parameter id: its id.
    init(id: String) {
        self.init(id: id, DesktopApps().entry(of: id))
    }

    init(id: String, _ entry: DesktopEntry?) {
        let name = entry?.name?.printable ?? ""
        self.name = name.isEmpty ? id.printable : name
        let icon = entry?.icon ?? ""
        // The specification takes names and addresses, a desktop file names and paths.
        self.icon = icon.hasPrefix("/") ? "file://" + icon.percentEncoded(keeping: "/") : icon
    }
}

extension String {
    /// The text as a part of an address (RFC 3986): all bytes but unreserved ones are escaped.
    ///
    /// - Parameter others: bytes that stay, too.
    /// - Returns: ASCII.
    func percentEncoded(keeping others: String = "") -> String {
        var text = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where others.utf8.contains(byte): text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }
}
