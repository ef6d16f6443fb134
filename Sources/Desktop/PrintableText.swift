// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text without what steers a terminal or turns the direction of writing around.
    package var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !$0.steers }))
    }
}

extension Unicode.Scalar {
    fileprivate var steers: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        // The joiners are format characters too, and some scripts need them.
        case .format: value != 0x200C && value != 0x200D
        default: false
        }
    }
}
