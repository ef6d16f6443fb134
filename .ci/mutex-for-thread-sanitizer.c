// SPDX-License-Identifier: Apache-2.0
//
// Shows the thread sanitizer the locks of Swift's standard library. For LD_PRELOAD; built with clang, which knows Swift's calls.
//
// The way of `Mutex` to a lock that is free is compiled into our own code, and so is seen. The way to one that is held is a function
// of the standard library, which is built without the sanitizer: unseen, every lock that threads contend for looks like a race.
// This stands between our code and that function, as the dynamic linker binds a symbol to its first definition, see ld.so(8).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Of the sanitizer's interface, see sanitizer/tsan_interface.h; absent in a program that is built without it.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// Synchronization._MutexHandle._lockSlow(UInt32) and ._unlockSlow(), see `swift demangle`.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

SWIFT void lock(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void unlock(SELF void *handle) __asm__(UNLOCK);

static void *original(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "the standard library has no %s: how does its Mutex wait now?\n", name);
        abort();
    }
    return function;
}

SWIFT void lock(uint32_t thread, SELF void *handle)
{
    ((__typeof__(&lock))original(LOCK))(thread, handle);
    if (__tsan_acquire)
        __tsan_acquire(handle);
}

SWIFT void unlock(SELF void *handle)
{
    if (__tsan_release)
        __tsan_release(handle);
    ((__typeof__(&unlock))original(UNLOCK))(handle);
}
