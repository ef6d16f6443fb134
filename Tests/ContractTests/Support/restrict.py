# SPDX-License-Identifier: Apache-2.0
"""Runs a program that gets sockets of the families AF_UNIX and AF_NETLINK only, as RestrictAddressFamilies= of its unit has it.

Arguments: the command. See seccomp(2).
"""

import ctypes
import errno
import os
import platform
import socket
import struct
import sys

SOCKET = {"x86_64": 41, "aarch64": 198}[platform.machine()]
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, BPF_RET|BPF_K
ALLOW, ERROR = 0x7FFF0000, 0x00050000
PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38

program = b"".join(
    struct.pack("=HBBI", *instruction)
    for instruction in (
        (LOAD, 0, 0, 0),  # the number of the call
        (EQUAL, 0, 4, SOCKET),
        (LOAD, 0, 0, 16),  # its first argument
        (EQUAL, 2, 0, socket.AF_UNIX),
        (EQUAL, 1, 0, socket.AF_NETLINK),
        (RETURN, 0, 0, ERROR | errno.EAFNOSUPPORT),
        (RETURN, 0, 0, ALLOW),
    ))
buffer = ctypes.create_string_buffer(program, len(program))
filter = ctypes.create_string_buffer(struct.pack("HP", len(program) // 8, ctypes.addressof(buffer)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter):
    sys.exit(os.strerror(ctypes.get_errno()))
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sys.exit("the filter does not filter")
except OSError:
    os.execvp(sys.argv[1], sys.argv[1:])
