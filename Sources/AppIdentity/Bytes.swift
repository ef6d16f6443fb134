// SPDX-License-Identifier: Apache-2.0

// Names of control groups are bytes and need not be text; these are the questions about them.

extension BidirectionalCollection<UInt8> {
    /// True if the bytes begin with those of the text.
    func hasPrefix(_ text: String) -> Bool {
        starts(with: text.utf8)
    }

    /// True if the bytes end with those of the text.
    func hasSuffix(_ text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}

extension UInt8 {
    /// True for `0` to `9`.
    var isASCIIDigit: Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
    }

    /// True for `a` to `z` in either case and `0` to `9`.
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
