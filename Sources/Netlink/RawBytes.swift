// SPDX-License-Identifier: Apache-2.0

extension UnsafeRawBufferPointer {
    /// Reads a value in the layout of C, in the byte order of the machine; the place need not be aligned.
    ///
    /// - Parameters:
    ///   - type: an integer or a C structure.
    ///   - offset: where it starts, not negative.
    /// - Returns: nil if the value does not lie within the bytes.
    @inlinable package func value<Value: BitwiseCopyable>(_ type: Value.Type = Value.self, at offset: Int = 0) -> Value?
    {
        guard offset >= 0, offset <= count, count - offset >= MemoryLayout<Value>.size else { return nil }
        return loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// The bytes from `offset` on, none if it lies past the end.
    package func dropping(_ offset: Int) -> UnsafeRawBufferPointer {
        guard let start = baseAddress, offset < count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start + offset, count: count - offset)
    }

    /// The bytes up to the first NUL, as text; what is no UTF-8 is replaced.
    package var text: String {
        String(decoding: prefix { $0 != 0 }, as: UTF8.self)
    }

    /// As ``text``, but a text that is the same is taken and not made anew.
    ///
    /// - Parameter known: what it may be.
    /// - Returns: the text.
    package func text(expecting known: String?) -> String {
        guard let known else { return text }
        let isSame = known.utf8.withContiguousStorageIfAvailable { known in
            let end = known.count
            return end <= count && known.elementsEqual(self[..<end]) && (end == count || self[end] == 0)
        }
        return isSame == true ? known : text
    }
}
