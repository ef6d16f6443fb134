// SPDX-License-Identifier: Apache-2.0
// From a change of the network to the StateChanged of the last of N observers, counted from the start of the system call
// that makes the change. Only gains are measured: the service holds losses back on purpose. Runs in the network namespace
// of the service. Prints {"gain":[ns, one per round],"missed":N}.

#include "crowd.h"
#include "netlink.h"

#include <fcntl.h>
#include <sched.h>

static const char *address, *name, *match, *word = "StateChanged", *event_name = "route", *interface = "wan0", *gateway, *far_namespace,
                                   *far_interface = "peer0";
static long count = 1, rounds = 20, gap = 100, timeout = 5000;
static const struct option_row OPTIONS[] = {
    {"address", TEXT, &address, "the bus"},
    {"name", TEXT, &name, "the service"},
    {"match", TEXT, &match, "the rule for the signals of another service, instead of Start"},
    {"word", TEXT, &word, "what is in the signals that count (StateChanged)"},
    {"event", TEXT, &event_name, "what goes and comes: route, route6 (the default route) or carrier"},
    {"interface", TEXT, &interface, "the link of the default route (wan0)"},
    {"gateway", TEXT, &gateway, "the gateway of the default route"},
    {"far-namespace", TEXT, &far_namespace, "path of the network namespace of the link's other end, for carrier"},
    {"far-interface", TEXT, &far_interface, "the link's other end (peer0)"},
    {"observers", NUMBER, &count, "connections to be told (1)"},
    {"rounds", NUMBER, &rounds, "losses and gains (20)"},
    {"gap", NUMBER, &gap, "milliseconds of rest before each change (100)"},
    {"timeout", NUMBER, &timeout, "milliseconds after which a change counts as missed (5000)"},
    {0},
};

/// Something that can be taken away and given back.
struct change {
    int socket_number;
    struct route route; // family AF_UNSPEC: the carrier
    int interface;
};

static int set_carrier(const struct change *change, bool up)
{
    struct ifinfomsg fixed = {
        .ifi_index = change->interface, .ifi_change = IFF_UP, .ifi_flags = up ? IFF_UP : 0};
    struct request request = request_make(RTM_NEWLINK, NLM_F_ACK, &fixed, sizeof fixed);
    union answer answer;
    return request_send(change->socket_number, &request, &answer);
}

static void make(const struct change *change, bool gain)
{
    int error = change->route.family == AF_UNSPEC ? set_carrier(change, gain)
                                                  : route_change(change->socket_number, &change->route, gain);
    if (error)
        fail("%s %s: %s", event_name, gain ? "gain" : "loss", strerror(error));
}

/// The carrier is taken away at the other end, by a socket that belongs to that end's namespace.
static struct change carrier_change(void)
{
    int home = (int)check(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "/proc/self/ns/net");
    int far = (int)check(open(far_namespace ? far_namespace : "", O_RDONLY | O_CLOEXEC), "--far-namespace");
    check(setns(far, CLONE_NEWNET), "setns");
    struct change change = {.socket_number = netlink_open(0), .interface = link_index(far_interface)};
    check(setns(home, CLONE_NEWNET), "setns");
    close(far);
    close(home);
    return change;
}

static struct change make_change(void)
{
    if (!strcmp(event_name, "carrier"))
        return carrier_change();
    int family = !strcmp(event_name, "route") ? AF_INET : !strcmp(event_name, "route6") ? AF_INET6 : AF_UNSPEC;
    if (family == AF_UNSPEC || !gateway)
        fail("--event is route, route6 or carrier; a route needs a --gateway");
    return (struct change){.socket_number = netlink_open(0),
        .route = {.family = family, .gateway = gateway, .interface = link_index(interface)}};
}

/// Lets the machine come to rest; what still comes belongs to no round.
static void rest(struct crowd *crowd)
{
    for (uint64_t end = now() + (uint64_t)gap * NANOSECONDS_PER_MILLISECOND; now() < end;)
        crowd_wait(crowd, end);
    crowd_forget(crowd);
}

int main(int argc, char **argv)
{
    read_options(argc, argv, OPTIONS, "--address=ADDRESS --name=NAME [OPTIONS]");
    struct change change = make_change();
    struct crowd crowd = crowd_open(address, name, match, word, (size_t)count);
    uint64_t *gains = allocate((size_t)rounds, sizeof *gains);
    size_t measured = 0;
    for (long round = 0; round < rounds; round++) {
        bool told[2];
        uint64_t start = 0;
        for (int gain = 0; gain < 2; gain++) {
            rest(&crowd);
            start = now();
            make(&change, gain);
            told[gain] = crowd_wait_for_all(&crowd, start + (uint64_t)timeout * NANOSECONDS_PER_MILLISECOND);
        }
        // A gain counts only if the loss before it was told: otherwise there was nothing to gain.
        if (told[0] && told[1])
            gains[measured++] = now() - start;
    }
    putchar('{');
    print_series("gain", gains, measured);
    printf(",\"missed\":%ld}\n", rounds - (long)measured);
}
