// SPDX-License-Identifier: Apache-2.0
// Linux interfaces that Swift's Glibc module leaves out, and inline functions for the C that Swift cannot import
// (function-like macros, variadic functions, flexible arrays). No logic lives here.
#ifndef NETWORK_ACCESSIBILITY_CLINUX_H
#define NETWORK_ACCESSIBILITY_CLINUX_H

// Before the headers of the kernel, which leave out what the C library has declared (linux/libc-compat.h).
#include <netinet/in.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libintl.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/inet_diag.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rfkill.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/sock_diag.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/vfs.h>
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

static inline int na_set_nonblocking_cloexec(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -1 : fcntl(fd, F_SETFD, FD_CLOEXEC);
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

// The number of a control group, which is the handle of its folder. name_to_handle_at(2) and AT_EMPTY_PATH are declared under
// _GNU_SOURCE only, and struct file_handle ends in a flexible array.
static inline int na_cgroup_id(int fd, uint64_t *id) {
    struct {
        unsigned int size;
        int type;
        unsigned char bytes[sizeof(uint64_t)];
    } handle = {.size = sizeof(handle.bytes)};
    int mount;
    if (syscall(SYS_name_to_handle_at, fd, "", &handle, &mount, 0x1000) < 0) return -1;
    memcpy(id, handle.bytes, sizeof(*id));
    return 0;
}

// Sends a datagram together with a descriptor, as unix(7) says; the macros that lay out the control message are no functions.
static inline ssize_t na_send_descriptor(
    int socket, const struct sockaddr *address, socklen_t length, const char *text, int fd) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {(void *)text, strlen(text)};
    struct msghdr message = {
        .msg_name = (void *)address, .msg_namelen = length, .msg_iov = &part, .msg_iovlen = 1,
        .msg_control = &control, .msg_controllen = sizeof(control.bytes)};
    memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// prctl(2) takes what it is told by its first argument; PR_SET_NAME: what ps(1) shows, 15 bytes.
static inline int na_set_thread_name(const char *name) {
    return prctl(PR_SET_NAME, name);
}

// setns(2) is declared under _GNU_SOURCE only.
static inline int na_setns(int fd, int type) {
    return (int)syscall(SYS_setns, fd, type);
}

#endif
