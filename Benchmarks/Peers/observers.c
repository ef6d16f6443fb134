// SPDX-License-Identifier: Apache-2.0
// Observers that are just there. Prints "ready", on request "told" for each burst of signals, and at SIGTERM
// {"signals":N,"bytes":N}: what they have heard since they were ready.

#include "crowd.h"

#include <signal.h>
#include <sys/signalfd.h>

static const char *address, *name;
static long count = 1;
static bool announce;
static const struct option_row OPTIONS[] = {
    {"address", TEXT, &address, "the bus"},
    {"name", TEXT, &name, "the service"},
    {"count", NUMBER, &count, "connections (1)"},
    {"announce", FLAG, &announce, "print a line whenever a StateChanged has come"},
    {0},
};

int main(int argc, char **argv)
{
    read_options(argc, argv, OPTIONS, "--address=ADDRESS --name=NAME [--count=N] [--announce]");
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigprocmask(SIG_BLOCK, &end, NULL);
    int signals = (int)check(signalfd(-1, &end, SFD_CLOEXEC), "signalfd");
    setvbuf(stdout, NULL, _IOLBF, 0);

    struct crowd crowd = crowd_open(address, name, NULL, "StateChanged", (size_t)count);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)count};
    check(epoll_ctl(crowd.poller, EPOLL_CTL_ADD, signals, &event), "epoll");
    puts("ready");
    for (;;) {
        check(epoll_wait(crowd.poller, &event, 1, -1), "epoll");
        if (event.data.u64 == (uint64_t)count)
            break;
        uint64_t before = crowd.signals;
        crowd_receive(&crowd, event.data.u64);
        if (announce && crowd.signals > before)
            puts("told");
    }
    printf("{\"signals\":%llu,\"bytes\":%llu}\n", (unsigned long long)crowd.signals, (unsigned long long)crowd.bytes);
}
