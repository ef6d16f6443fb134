// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "network-client",
    dependencies: [.package(name: "network-accessibility", path: "../..")],
    targets: [
        .executableTarget(
            name: "network-client",
            dependencies: [.product(name: "NetworkAccessibility", package: "network-accessibility")],
            path: "Sources/NetworkClient")
    ],
    swiftLanguageModes: [.v6]
)
