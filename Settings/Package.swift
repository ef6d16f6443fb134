// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own: the service builds and is tested where there is no GTK.

let package = Package(
    name: "network-accessibility-settings",
    dependencies: [.package(name: "network-accessibility", path: "..")],
    targets: [
        .systemLibrary(
            name: "CAdw", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev", "libgtk-4-dev"])]),
        .systemLibrary(name: "CIntl"),
        .target(
            name: "SettingsModel",
            dependencies: ["CIntl", .product(name: "NetworkAccessibility", package: "network-accessibility")]),
        .executableTarget(
            name: "network-accessibility-settings",
            dependencies: [
                "CAdw", "SettingsModel", .product(name: "NetworkAccessibility", package: "network-accessibility"),
            ]),
        .testTarget(name: "SettingsModelTests", dependencies: ["SettingsModel"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
