// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The layers, from the ground up; a target imports only what stands below it (docs/architecture.md).

let ground: [Target] = [
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev", "pkg-config"])]),
    .systemLibrary(name: "CLinux"),
    .target(name: "CProgram"),
    .target(name: "EventLoop", dependencies: ["CLinux"]),
    .target(name: "Netlink", dependencies: ["CLinux", "EventLoop"]),
]

let pure: [Target] = [
    .target(name: "AccessibilityModel"),
    .target(name: "AccessibilityCore", dependencies: ["AccessibilityModel"]),
]

let adapters: [Target] = [
    .target(name: "DBus", dependencies: ["CDBus", "EventLoop"]),
    .target(
        name: "NetworkSources", dependencies: ["AccessibilityModel", "CLinux", "DBus", "EventLoop", "Netlink"]),
    .target(
        name: "PolicyStore", dependencies: ["AccessibilityCore", "AccessibilityModel", "EventLoop", "CLinux"]),
    .target(name: "AppIdentity", dependencies: ["AccessibilityModel", "EventLoop", "CLinux"]),
    .target(name: "Enforcement", dependencies: ["AccessibilityModel", "CLinux", "EventLoop", "Netlink"]),
]

let glue: [Target] = [
    .target(name: "ServiceNames", dependencies: ["AccessibilityModel", "DBus"]),
    .target(
        name: "AccessibilityService",
        dependencies: [
            "AccessibilityCore", "AccessibilityModel", "AppIdentity", "CLinux", "DBus", "Enforcement", "EventLoop",
            "NetworkSources", "PolicyStore", "ServiceNames",
        ]),
    .target(name: "Desktop", dependencies: ["EventLoop"]),
    .target(
        name: "NetworkAccessibility",
        dependencies: ["AccessibilityModel", "CLinux", "DBus", "EventLoop", "ServiceNames"]),
    .target(
        name: "CommandSupport",
        dependencies: ["AccessibilityModel", "CLinux", "DBus", "Desktop", "EventLoop", "PolicyStore", "ServiceNames"]),
    .target(
        name: "AgentSupport",
        dependencies: ["AccessibilityModel", "CLinux", "DBus", "Desktop", "EventLoop", "ServiceNames"]),
]

let executables: [Target] = [
    .executableTarget(name: "network-accessibilityd", dependencies: ["AccessibilityService", "CProgram"]),
    .executableTarget(name: "netaccess", dependencies: ["CommandSupport", "CProgram"]),
    .executableTarget(name: "network-accessibility-agent", dependencies: ["AgentSupport", "CProgram"]),
]

let tests: [Target] = [
    .target(
        name: "TestSupport", dependencies: ["EventLoop", "CLinux"], path: "Tests/TestSupport", exclude: ["Programs"]),
    test("EventLoop", ["CLinux"]),
    test("AccessibilityCore", ["AccessibilityModel"]),
    test("DBus", ["CDBus", "EventLoop"]),
    test("NetworkSources", ["AccessibilityModel", "CLinux", "DBus", "EventLoop", "Netlink"]),
    test("PolicyStore", ["AccessibilityCore", "AccessibilityModel", "CLinux", "EventLoop"]),
    test("AppIdentity", ["AccessibilityModel", "CLinux", "EventLoop"]),
    test("Enforcement", ["AccessibilityModel", "CLinux", "EventLoop", "Netlink"], exclude: ["Clients"]),
    test("AccessibilityService", ["AccessibilityModel", "AppIdentity", "DBus", "EventLoop"]),
    test("NetworkAccessibility", ["AccessibilityModel", "DBus", "EventLoop"]),
    .executableTarget(name: "client-program", dependencies: ["NetworkAccessibility"], path: "Tests/ClientProgram"),
    test("Desktop", []),
    test("CommandSupport", ["AccessibilityModel", "DBus", "EventLoop", "PolicyStore"]),
    test("AgentSupport", ["AccessibilityModel", "Desktop"]),
    .testTarget(
        name: "FuzzTests",
        dependencies: [
            "AccessibilityCore", "AccessibilityModel", "AppIdentity", "CDBus", "CLinux", "DBus", "Desktop",
            "Enforcement",
            "EventLoop", "Netlink", "NetworkSources", "PolicyStore", "TestSupport",
        ], exclude: ["Seeds"]),
    .testTarget(
        name: "ContractTests", dependencies: ["AccessibilityModel", "DBus", "EventLoop", "TestSupport"],
        exclude: ["Snapshots", "Support"]),
    .testTarget(name: "EndToEndTests", dependencies: ["EventLoop", "TestSupport"], exclude: ["Clients"]),
]

/// The tests of a target.
func test(_ target: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: target + "Tests", dependencies: [.byName(name: target), "TestSupport"] + dependencies, exclude: exclude)
}

let package = Package(
    name: "network-accessibility",
    products: [
        .library(name: "NetworkAccessibility", targets: ["NetworkAccessibility"]),
        .library(name: "DBus", targets: ["DBus"]),
        .executable(name: "network-accessibilityd", targets: ["network-accessibilityd"]),
        .executable(name: "netaccess", targets: ["netaccess"]),
        .executable(name: "network-accessibility-agent", targets: ["network-accessibility-agent"]),
    ],
    targets: ground + pure + adapters + glue + executables + tests,
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
