// SPDX-License-Identifier: Apache-2.0

internal import AgentSupport
internal import Glibc

@main
struct Main {
    static func main() {
        exit(AgentMain.run(CommandLine.arguments.dropFirst()))
    }
}
