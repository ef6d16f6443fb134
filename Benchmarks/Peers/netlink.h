// SPDX-License-Identifier: Apache-2.0
// rtnetlink(7), as much of it as the programs need.
#pragma once

#include "common.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

/// A request as it goes to the kernel.
struct request {
    struct nlmsghdr header;
    char body[240];
};

/// An answer of the kernel, or its acknowledgement.
union answer {
    struct nlmsghdr header;
    char bytes[16384];
};

/// A socket that hears these RTMGRP_ groups.
static inline int netlink_open(unsigned groups)
{
    int socket_number = (int)check(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), "netlink");
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    check(bind(socket_number, (struct sockaddr *)&address, sizeof address), "netlink");
    return socket_number;
}

/// Begins a request with its fixed part.
static inline struct request request_make(int type, int flags, const void *fixed, size_t size)
{
    struct request request = {.header = {.nlmsg_len = NLMSG_LENGTH(size),
                                  .nlmsg_type = (uint16_t)type,
                                  .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags)}};
    memcpy(NLMSG_DATA(&request.header), fixed, size);
    return request;
}

/// Appends an attribute.
static inline void request_add(struct request *request, int type, const void *data, size_t size)
{
    size_t start = NLMSG_ALIGN(request->header.nlmsg_len);
    if (start + RTA_SPACE(size) > sizeof *request)
        fail("the request is too long");
    struct rtattr *attribute = (struct rtattr *)((char *)request + start);
    attribute->rta_type = (uint16_t)type;
    attribute->rta_len = (uint16_t)RTA_LENGTH(size);
    memcpy(RTA_DATA(attribute), data, size);
    request->header.nlmsg_len = (uint32_t)(start + RTA_SPACE(size));
}

/// Sends a request and reads its one answer, on a socket that hears no group. Returns 0 or the error number.
static inline int request_send(int socket_number, struct request *request, union answer *answer)
{
    static uint32_t sequence;
    request->header.nlmsg_seq = ++sequence;
    check(send(socket_number, request, request->header.nlmsg_len, 0), "netlink request");
    do
        check(recv(socket_number, answer, sizeof *answer, 0), "netlink answer");
    while (answer->header.nlmsg_seq != sequence);
    if (answer->header.nlmsg_type != NLMSG_ERROR)
        return 0;
    return -((struct nlmsgerr *)NLMSG_DATA(&answer->header))->error;
}

static inline size_t address_size(int family)
{
    return family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
}

/// A unicast route; `prefix` 0 makes it the default route.
struct route {
    int family;
    const void *destination; // unused in a default route
    int prefix;
    const char *gateway;
    int interface;
};

/// Adds or removes a route. Returns 0 or the error number.
static inline int route_change(int socket_number, const struct route *route, bool add)
{
    struct rtmsg fixed = {.rtm_family = (uint8_t)route->family,
        .rtm_dst_len = (uint8_t)route->prefix,
        .rtm_table = RT_TABLE_MAIN,
        .rtm_scope = add ? RT_SCOPE_UNIVERSE : RT_SCOPE_NOWHERE,
        .rtm_protocol = add ? RTPROT_STATIC : RTPROT_UNSPEC,
        .rtm_type = add ? RTN_UNICAST : RTN_UNSPEC};
    struct request request = request_make(add ? RTM_NEWROUTE : RTM_DELROUTE,
        NLM_F_ACK | (add ? NLM_F_CREATE | NLM_F_EXCL : 0), &fixed, sizeof fixed);
    char gateway[sizeof(struct in6_addr)];
    if (inet_pton(route->family, route->gateway, gateway) != 1)
        fail("%s is no address", route->gateway);
    if (route->prefix)
        request_add(&request, RTA_DST, route->destination, address_size(route->family));
    request_add(&request, RTA_GATEWAY, gateway, address_size(route->family));
    request_add(&request, RTA_OIF, &route->interface, sizeof route->interface);
    union answer answer;
    return request_send(socket_number, &request, &answer);
}

/// The index of a link of this network namespace.
static inline int link_index(const char *name)
{
    return (int)check((long)if_nametoindex(name) ?: -1, name);
}
