// SPDX-License-Identifier: Apache-2.0
// Many observers of one service in one process.
//
// An observer is one that has called Start, or has a match rule for something else. What comes is not parsed: with a thousand connections on the processor that also runs the service and the bus, the
// clients must cost next to nothing. A look for a word, mostly the member's name, tells the signals apart.
#pragma once

#include "bus.h"

#include <sys/epoll.h>

/// The observers, and what they have heard.
struct crowd {
    int poller;
    size_t count;
    int *descriptors;
    const char *word;   // that is in each signal which counts
    bool *told;         // by such a signal since the last `crowd_forget`
    size_t told_count;  // how many of them
    uint64_t signals;   // that count, of all
    uint64_t bytes;     // of any message
};

/// Opens the connections and makes each of them an observer: of the service with this name, or of the signals that match a rule.
static inline struct crowd crowd_open(
    const char *address, const char *name, const char *rule, const char *word, size_t count)
{
    struct crowd crowd = {.poller = (int)check(epoll_create1(EPOLL_CLOEXEC), "epoll"),
        .count = count,
        .word = word,
        .descriptors = allocate(count, sizeof(int)),
        .told = allocate(count, sizeof(bool))};
    for (size_t i = 0; i < count; i++) {
        DBusConnection *connection = bus_connect(address);
        if (rule)
            bus_listen(connection, rule);
        else
            bus_start(connection, name);
        crowd.descriptors[i] = bus_descriptor(connection);
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = i};
        check(epoll_ctl(crowd.poller, EPOLL_CTL_ADD, crowd.descriptors[i], &event), "epoll");
    }
    return crowd;
}

/// Starts a new round: nobody has been told.
static inline void crowd_forget(struct crowd *crowd)
{
    memset(crowd->told, 0, crowd->count * sizeof *crowd->told);
    crowd->told_count = 0;
}

/// Notes what one observer has received. A message comes in one piece: it is far smaller than the buffer.
static inline void crowd_receive(struct crowd *crowd, size_t index)
{
    static char buffer[65536];
    ssize_t length = check(read(crowd->descriptors[index], buffer, sizeof buffer), "observer");
    if (length == 0)
        fail("the bus has dropped an observer");
    crowd->bytes += (uint64_t)length;
    size_t size = strlen(crowd->word) + 1;
    for (char *place = buffer; (place = memmem(place, (size_t)(buffer + length - place), crowd->word, size)); place += size) {
        crowd->signals++;
        crowd->told_count += !crowd->told[index];
        crowd->told[index] = true;
    }
}

/// Waits once, at most until `end`, and notes what has come.
static inline void crowd_wait(struct crowd *crowd, uint64_t end)
{
    struct epoll_event events[256];
    int count = epoll_wait(crowd->poller, events, 256, milliseconds_until(end));
    for (int i = 0; i < count; i++)
        crowd_receive(crowd, events[i].data.u64);
}

/// Waits until everybody has been told; false if not by `end`.
static inline bool crowd_wait_for_all(struct crowd *crowd, uint64_t end)
{
    while (crowd->told_count < crowd->count && now() < end)
        crowd_wait(crowd, end);
    return crowd->told_count == crowd->count;
}
