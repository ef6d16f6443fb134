// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// Compares text with what it was when somebody last looked at it.
///
/// With `UPDATE_SNAPSHOTS=1` in the environment the file is written anew; the change is then to be read in the diff.
func expectSnapshot(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = "Tests/ContractTests/Snapshots/\(name).txt"
    if ProcessVariables.current["UPDATE_SNAPSHOTS"] == "1" {
        let stream = try #require(fopen(Repository.root + "/" + file, "w"))
        fputs(text, stream)
        fclose(stream)
    }
    let expected = try Repository.text(file)
    #expect(text == expected, "\(file)", sourceLocation: sourceLocation)
}
