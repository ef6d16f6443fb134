// SPDX-License-Identifier: Apache-2.0
// The floor of a network change: a netlink listener that, on each burst, does two route look-ups, reads the state of the
// links found, and if something differs tells each observer. No settling, no policy, no identity.

#include "bus.h"
#include "netlink.h"

#include <poll.h>

static const char *address, *name;
static bool pair;
static const struct option_row OPTIONS[] = {
    {"address", TEXT, &address, "the bus"},
    {"name", TEXT, &name, "the bus name to own"},
    {"pair", FLAG, &pair, "send PropertiesChanged before each StateChanged, as the service does"},
    {0},
};

// --- The network ---

/// The way that a packet to the internet would take now.
struct path {
    int interface; // 0: none
    bool running;
    char gateway[sizeof(struct in6_addr)];
};

static const struct {
    int family;
    const char *destination; // set aside for documentation (RFC 5737, RFC 3849), so that no route is meant for it alone
} LOOK_UPS[] = {{AF_INET, "203.0.113.1"}, {AF_INET6, "2001:db8:ffff::1"}};

enum { PATHS = sizeof LOOK_UPS / sizeof *LOOK_UPS };

static bool is_running(int socket_number, int interface)
{
    struct ifinfomsg fixed = {.ifi_index = interface};
    struct request request = request_make(RTM_GETLINK, 0, &fixed, sizeof fixed);
    union answer answer;
    return request_send(socket_number, &request, &answer) == 0
        && ((struct ifinfomsg *)NLMSG_DATA(&answer.header))->ifi_flags & IFF_RUNNING;
}

static struct path look_up(int socket_number, int family, const char *destination)
{
    struct path path = {0};
    char bytes[sizeof(struct in6_addr)];
    inet_pton(family, destination, bytes);
    struct rtmsg fixed = {.rtm_family = (uint8_t)family, .rtm_dst_len = (uint8_t)(8 * address_size(family))};
    struct request request = request_make(RTM_GETROUTE, 0, &fixed, sizeof fixed);
    request_add(&request, RTA_DST, bytes, address_size(family));
    union answer answer;
    if (request_send(socket_number, &request, &answer) != 0)
        return path;
    struct rtmsg *route = NLMSG_DATA(&answer.header);
    if (route->rtm_type != RTN_UNICAST)
        return path;
    int length = (int)RTM_PAYLOAD(&answer.header);
    for (struct rtattr *attribute = RTM_RTA(route); RTA_OK(attribute, length); attribute = RTA_NEXT(attribute, length))
        if (attribute->rta_type == RTA_OIF)
            memcpy(&path.interface, RTA_DATA(attribute), sizeof path.interface);
        else if (attribute->rta_type == RTA_GATEWAY)
            memcpy(path.gateway, RTA_DATA(attribute), address_size(family));
    path.running = is_running(socket_number, path.interface);
    return path;
}

/// Reads all paths; true if they differ from those of the last time.
static bool refresh(int socket_number, struct path *paths)
{
    struct path fresh[PATHS];
    memset(fresh, 0, sizeof fresh);
    for (size_t i = 0; i < PATHS; i++)
        fresh[i] = look_up(socket_number, LOOK_UPS[i].family, LOOK_UPS[i].destination);
    if (!memcmp(fresh, paths, sizeof fresh))
        return false;
    memcpy(paths, fresh, sizeof fresh);
    return true;
}

/// Takes everything that the kernel has to say now. What it says, and what it had to drop (ENOBUFS), does not matter: the
/// look-ups tell.
static void drain(int socket_number)
{
    static char bytes[65536];
    for (;;)
        if (recv(socket_number, bytes, sizeof bytes, MSG_DONTWAIT) < 0 && errno != ENOBUFS) {
            if (errno != EAGAIN)
                fail("netlink: %s", strerror(errno));
            return;
        }
}

// --- The observers ---

static char **observers;
static size_t observer_count;

static void add_observer(const char *unique_name)
{
    observers = reallocarray(observers, observer_count + 1, sizeof *observers);
    if (!observers || !(observers[observer_count++] = strdup(unique_name)))
        fail("out of memory");
}

static void remove_observer(const char *unique_name)
{
    for (size_t i = 0; i < observer_count; i++)
        if (!strcmp(observers[i], unique_name)) {
            free(observers[i]);
            observers[i] = observers[--observer_count];
            return;
        }
}

static DBusHandlerResult handle(DBusConnection *connection, DBusMessage *message, void *context)
{
    (void)context;
    const char *gone;
    if (dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged")
        && dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &gone, DBUS_TYPE_INVALID)) {
        remove_observer(gone);
        return DBUS_HANDLER_RESULT_HANDLED;
    }
    if (!dbus_message_is_method_call(message, SERVICE_INTERFACE, "Start"))
        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    add_observer(dbus_message_get_sender(message));
    DBusMessage *reply = dbus_message_new_method_return(message);
    dbus_connection_send(connection, reply, NULL);
    dbus_message_unref(reply);
    return DBUS_HANDLER_RESULT_HANDLED;
}

static void append_entry(DBusMessageIter *entries, const char *key, int type, const void *value)
{
    DBusMessageIter entry, variant;
    const char signature[] = {(char)type, 0};
    dbus_message_iter_open_container(entries, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
    dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
    dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, signature, &variant);
    dbus_message_iter_append_basic(&variant, type, value);
    dbus_message_iter_close_container(&entry, &variant);
    dbus_message_iter_close_container(entries, &entry);
}

/// What the service tells in its signals, in the same form.
struct view {
    const char *state, *reason, *transport, *connectivity;
    dbus_bool_t reachable, metered;
};

static void append_details(DBusMessageIter *entries, struct view *view)
{
    append_entry(entries, "Transport", DBUS_TYPE_STRING, &view->transport);
    append_entry(entries, "Connectivity", DBUS_TYPE_STRING, &view->connectivity);
    append_entry(entries, "Metered", DBUS_TYPE_BOOLEAN, &view->metered);
}

static DBusMessage *properties_changed(struct view *view)
{
    DBusMessage *signal = dbus_message_new_signal(SERVICE_PATH, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged");
    const char *interface = SERVICE_INTERFACE;
    DBusMessageIter body, entries;
    dbus_message_iter_init_append(signal, &body);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &interface);
    dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &entries);
    append_entry(&entries, "Reachable", DBUS_TYPE_BOOLEAN, &view->reachable);
    append_entry(&entries, "Reason", DBUS_TYPE_STRING, &view->reason);
    append_details(&entries, view);
    dbus_message_iter_close_container(&body, &entries);
    dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING_AS_STRING, &entries);
    dbus_message_iter_close_container(&body, &entries);
    return signal;
}

static DBusMessage *state_changed(struct view *view)
{
    DBusMessage *signal = dbus_message_new_signal(SERVICE_PATH, SERVICE_INTERFACE, "StateChanged");
    DBusMessageIter body, entries;
    dbus_message_iter_init_append(signal, &body);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &view->state);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_BOOLEAN, &view->reachable);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &view->reason);
    dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &entries);
    append_details(&entries, view);
    dbus_message_iter_close_container(&body, &entries);
    return signal;
}

static void send_copy(DBusConnection *connection, DBusMessage *message, const char *destination)
{
    DBusMessage *copy = dbus_message_copy(message);
    dbus_message_set_destination(copy, destination);
    dbus_connection_send(connection, copy, NULL);
    dbus_message_unref(copy);
}

/// Tells every observer, each by a message of its own.
static void tell(DBusConnection *connection, const struct path *paths)
{
    bool reachable = false;
    for (size_t i = 0; i < PATHS; i++)
        reachable |= paths[i].interface && paths[i].running;
    struct view view = {.state = "accessible",
        .reason = reachable ? "none" : "offline",
        .transport = reachable ? "wifi" : "none",
        .connectivity = reachable ? "unknown" : "local",
        .reachable = reachable,
        .metered = false};
    DBusMessage *properties = pair ? properties_changed(&view) : NULL, *state = state_changed(&view);
    for (size_t i = 0; i < observer_count; i++) {
        if (properties)
            send_copy(connection, properties, observers[i]);
        send_copy(connection, state, observers[i]);
    }
    if (properties)
        dbus_message_unref(properties);
    dbus_message_unref(state);
}

int main(int argc, char **argv)
{
    read_options(argc, argv, OPTIONS, "--address=ADDRESS --name=NAME [--pair]");
    int events = netlink_open(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE
        | RTMGRP_IPV6_ROUTE | RTMGRP_IPV4_RULE);
    int questions = netlink_open(0);
    struct path paths[PATHS];
    memset(paths, 0, sizeof paths);
    refresh(questions, paths);

    DBusConnection *connection = bus_connect(address);
    dbus_connection_add_filter(connection, handle, NULL, NULL);
    dbus_bus_add_match(connection,
        "type='signal',sender='" DBUS_SERVICE_DBUS "',member='NameOwnerChanged',arg2=''", NULL); // who has left the bus
    bus_own(connection, name);
    struct pollfd sources[] = {{events, POLLIN, 0}, {bus_descriptor(connection), POLLIN, 0}};
    for (;;) {
        if (sources[0].revents) {
            drain(events);
            if (refresh(questions, paths))
                tell(connection, paths);
        }
        if (sources[1].revents && !dbus_connection_read_write(connection, 0))
            return EXIT_SUCCESS;
        while (dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS)
            ;
        dbus_connection_flush(connection);
        check(poll(sources, 2, -1), "poll");
    }
}
