// SPDX-License-Identifier: Apache-2.0

import AppIdentity
import Testing

@Suite
struct CgroupPathTests {
    private static let cases: [(text: String, path: [String]?)] = [
        // Unified.
        ("0::/user.slice/a.scope\n", ["user.slice", "a.scope"]),
        ("0::/user.slice/a.scope", ["user.slice", "a.scope"]),
        // Hybrid: the version 2 tree, unless the process stands at its root.
        (
            "8:pids:/x\n1:name=systemd:/system.slice/b.service\n0::/system.slice/b.service\n",
            ["system.slice", "b.service"]
        ),
        ("8:pids:/x\n1:name=systemd:/system.slice/b.service\n0::/\n", ["system.slice", "b.service"]),
        ("0::/c.service\n1:name=systemd:/system.slice/b.service\n", ["c.service"]),
        // Legacy.
        ("8:pids:/x\n4:memory:/y\n1:name=systemd:/init.scope\n", ["init.scope"]),
        // Nothing to go by: a container runtime's own paths are not those of a service manager.
        ("9:name=systemd:/\n8:pids:/\n4:memory:/process_api/43072cd8\n0::/\n", nil),
        ("8:pids:/system.slice/a.service\n4:memory:/system.slice/a.service\n", nil),
        ("1:name=elogind:/1\n", nil),
        ("1:cpu,name=systemd:/a.service\n", nil),
        // The reader in another namespace; colons in names.
        ("0::/../../user.slice/a.scope\n", ["..", "..", "user.slice", "a.scope"]),
        ("0::/dbus-:1.2-org.example.A@0.service\n", ["dbus-:1.2-org.example.A@0.service"]),
        ("0::/a//b/\n", ["a", "b"]),
        // No cgroup file of a kernel.
        ("", nil), ("\n\n", nil), ("0::", nil), ("0:", nil), ("garbage", nil), ("00::/a.scope", nil), (":::/a", nil),
    ]

    @Test(arguments: cases)
    func `the path comes from the service manager's tree`(text: String, path: [String]?) {
        #expect(CgroupPath(procText: Array(text.utf8))?.components == path?.map { Array($0.utf8) })
    }

    @Test func `names need not be text`() {
        #expect(
            CgroupPath(procText: Array("0::/a".utf8) + [0xFF, 0])
                == CgroupPath(procText: Array("0::/a".utf8) + [0xFF, 0, 0x0A]))
        #expect(CgroupPath(procText: Array("0::/".utf8) + [0xFF])?.components == [[0xFF]])
    }
}
