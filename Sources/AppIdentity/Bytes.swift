// SPDX-License-Identifier: Apache-2.0

// Names of control groups are bytes and need not be text; these are the questions about them.

extension BidirectionalCollection<UInt8> {
    func hasPrefix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { starts(with: $0) }
    }

    func hasSuffix(_ text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}

extension UInt8 {
    var isASCIIDigit: Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
    }

    var isASCIILetterOrDigit: Bool {
        isASCIIDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20
    }

    /// The value of a hexadecimal digit, in either case.
    var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
