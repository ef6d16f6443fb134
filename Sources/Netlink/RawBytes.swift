// SPDX-License-Identifier: Apache-2.0

extension UnsafeRawBufferPointer {
    /// Reads a value in the layout of C, in the byte order of the machine; the place need not be aligned.
    ///
    /// - Parameters:
    ///   - type: an integer or a C structure.
    ///   - offset: where it starts, not negative.
    /// - Returns: nil if the value does not lie within the bytes.
    package func value<Value: BitwiseCopyable>(_ type: Value.Type = Value.self, at offset: Int = 0) -> Value? {
        guard offset >= 0, offset <= count, count - offset >= MemoryLayout<Value>.size else { return nil }
        return loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// The bytes from `offset` on, none if it lies past the end.
    package func dropping(_ offset: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: dropFirst(offset))
    }

    /// The bytes up to the first NUL, as text; what is no UTF-8 is replaced.
    package var text: String {
        String(decoding: prefix { $0 != 0 }, as: UTF8.self)
    }
}
