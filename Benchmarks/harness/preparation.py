# SPDX-License-Identifier: Apache-2.0
"""What has to be there before anything is measured."""

import os
import resource
import signal
import subprocess
import sys

from .machine import HERE, REPOSITORY


def prepare():
    if os.geteuid() != 0:
        sys.exit("network namespaces and cgroups are made here: run it as root")
    # A thousand connections need more descriptors than a login shell gives.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, most), most))
    # An end from outside takes everything down as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    subprocess.run(["make", "--directory", str(HERE), "--quiet"], check=True, stdout=sys.stderr)


def build_service():
    """The service, installed: a linker writes its output here and there, which leaves single pages of it in the kernel's cache, and a
    copy whole stretches. The start takes a twentieth longer from single pages."""
    program = "network-accessibilityd"
    subprocess.run([REPOSITORY / "scripts/build-release", program], check=True, stdout=sys.stderr)
    installed = HERE / ".build" / program
    subprocess.run(["install", "-D", "-m", "755", REPOSITORY / ".build/release" / program, installed], check=True)
    return installed
