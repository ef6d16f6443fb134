// SPDX-License-Identifier: Apache-2.0

internal import CommandSupport
internal import Glibc

@main
struct Main {
    static func main() {
        exit(Tool.run(Array(CommandLine.arguments.dropFirst())))
    }
}
