// SPDX-License-Identifier: Apache-2.0
// Adds and removes routes at a fixed rate, in the network namespace that it runs in. Prints {"changes":N,"wall":ns}.

#include "netlink.h"

static const char *interface = "wan0", *gateway = "192.0.2.1";
static long rate = 1000, seconds = 5;
static bool flap;
static const struct option_row OPTIONS[] = {
    {"interface", TEXT, &interface, "the link of the routes (wan0)"},
    {"gateway", TEXT, &gateway, "their gateway (192.0.2.1)"},
    {"rate", NUMBER, &rate, "changes a second (1000)"},
    {"seconds", NUMBER, &seconds, "how long (5)"},
    {"default", FLAG, &flap, "the default route goes and comes, instead of routes to single hosts that come and go"},
    {0},
};

int main(int argc, char **argv)
{
    read_options(argc, argv, OPTIONS, "[OPTIONS]");
    struct in_addr host;
    struct route route = {.family = AF_INET,
        .destination = &host,
        .prefix = flap ? 0 : 32,
        .gateway = gateway,
        .interface = link_index(interface)};
    int socket_number = netlink_open(0);
    long changes = rate * seconds / 2 * 2; // an even number: the table is at the end as it was at the start
    uint64_t start = now();
    for (long i = 0; i < changes; i++) {
        sleep_until(start + (uint64_t)i * NANOSECONDS_PER_SECOND / (uint64_t)rate);
        host.s_addr = htonl(UINT32_C(0x0ac80000) + (uint32_t)(i / 2 % 1000)); // 10.200.0.0 and on
        int error = route_change(socket_number, &route, i % 2 == (flap ? 1 : 0));
        if (error)
            fail("change %ld: %s", i, strerror(error));
    }
    printf("{\"changes\":%ld,\"wall\":%llu}\n", changes, (unsigned long long)(now() - start));
}
