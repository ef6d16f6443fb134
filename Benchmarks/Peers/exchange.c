// SPDX-License-Identifier: Apache-2.0
// Datagrams there and back over a cable, one at a time: both ends are this program's, the near one in the network namespace that it
// runs in. Prints {"cpu":[ns per datagram, one per round],"wall":[the same]}: processor time of all that is done for a
// datagram, since the kernel takes it through the cable and up to the other socket within the call that sends it.

#include "common.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>

static const char *near_address = "192.0.2.10", *far_address = "192.0.2.1", *far_namespace;
static long rounds = 5, exchanges = 10000, size = 64;
static const struct option_row OPTIONS[] = {
    {"near", TEXT, &near_address, "address of the near end (192.0.2.10)"},
    {"far", TEXT, &far_address, "address of the far end (192.0.2.1)"},
    {"far-namespace", TEXT, &far_namespace, "path of the network namespace of the far end"},
    {"rounds", NUMBER, &rounds, "how often it is measured (5)"},
    {"exchanges", NUMBER, &exchanges, "datagrams each way in a round (10000)"},
    {"size", NUMBER, &size, "bytes in a datagram, 1000 at most (64)"},
    {0},
};

static struct sockaddr_in socket_address(const char *text, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, text, &address.sin_addr) != 1)
        fail("%s is no IPv4 address", text);
    return address;
}

/// A UDP socket of the present network namespace that talks to the other end only.
static int make_end(struct sockaddr_in own, struct sockaddr_in other)
{
    int end = (int)check(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
    struct timeval patience = {.tv_sec = 2};
    check(setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), "SO_RCVTIMEO");
    check(bind(end, (struct sockaddr *)&own, sizeof own), "bind");
    check(connect(end, (struct sockaddr *)&other, sizeof other), "connect");
    return end;
}

static void pass(int from, int to)
{
    static char bytes[1000];
    check(send(from, bytes, (size_t)size, 0), "send");
    check(recv(to, bytes, sizeof bytes, 0), "receive");
}

static uint64_t processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * NANOSECONDS_PER_SECOND + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
    read_options(argc, argv, OPTIONS, "--far-namespace=PATH [OPTIONS]");
    if (size < 1 || size > 1000)
        fail("--size is 1 to 1000");
    struct sockaddr_in near = socket_address(near_address, 4000), far = socket_address(far_address, 4001);
    int near_end = make_end(near, far);
    int namespace = (int)check(open(far_namespace ? far_namespace : "", O_RDONLY | O_CLOEXEC), "--far-namespace");
    check(setns(namespace, CLONE_NEWNET), "setns");
    int far_end = make_end(far, near);

    uint64_t *cpu = allocate((size_t)rounds, sizeof *cpu), *wall = allocate((size_t)rounds, sizeof *wall);
    pass(near_end, far_end); // the neighbours get to know each other
    for (long round = 0; round < rounds; round++) {
        uint64_t start = now(), used = processor_time();
        for (long i = 0; i < exchanges; i++) {
            pass(near_end, far_end);
            pass(far_end, near_end);
        }
        cpu[round] = (processor_time() - used) / (2 * (uint64_t)exchanges);
        wall[round] = (now() - start) / (2 * (uint64_t)exchanges);
    }
    putchar('{');
    print_series("cpu", cpu, (size_t)rounds);
    putchar(',');
    print_series("wall", wall, (size_t)rounds);
    puts("}");
}
