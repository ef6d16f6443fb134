// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityService
internal import Glibc

@main
struct Main {
    static func main() {
        exit(ServiceMain.run(Array(CommandLine.arguments.dropFirst())))
    }
}
