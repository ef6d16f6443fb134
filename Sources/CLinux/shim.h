// SPDX-License-Identifier: Apache-2.0
// Linux interfaces that Swift's Glibc module leaves out, and inline functions for the C that Swift cannot import
// (function-like macros, variadic functions, flexible arrays). No logic lives here.
#ifndef NETWORK_ACCESSIBILITY_CLINUX_H
#define NETWORK_ACCESSIBILITY_CLINUX_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libintl.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rfkill.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// open(2) and openat(2) are variadic.
static inline int na_open(const char *path, int flags) {
    return open(path, flags | O_CLOEXEC);
}

static inline int na_openat(int directory, const char *name, int flags) {
    return openat(directory, name, flags | O_CLOEXEC);
}

// O_PATH is declared under _GNU_SOURCE only.
static const int NA_O_PATH = __O_PATH;

// fcntl(2) is variadic.
static inline int na_duplicate(int fd) {
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static inline int na_open_creating(const char *path, int flags, mode_t mode) {
    return open(path, flags | O_CLOEXEC | O_CREAT, mode);
}

// The name is longer than the array in the declaration may say.
static inline const char *na_dirent_name(const struct dirent *entry) {
    return entry->d_name;
}

// glibc 2.36 (Debian 12) is the first to wrap it; syscall(2) is variadic.
static inline int na_pidfd_open(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

// setns(2) is declared under _GNU_SOURCE only.
static inline int na_setns(int fd, int type) {
    return (int)syscall(SYS_setns, fd, type);
}

#endif
