// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The target that the environment names in `FUZZ_TARGET`.
private let chosen: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) }
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        print("FUZZ_TARGET must be one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
        exit(64)
    }
    return target
}()

/// What libFuzzer calls with each input; a program that is linked without it never does.
///
/// - Returns: 0; libFuzzer knows no other answer, and takes the end of the process for a finding.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
        try chosen.read(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        print("\(chosen.name): \(error)")
        fflush(nil)
        abort()
    }
    return 0
}
