// Calls Start before it listens: a match rule alone hears nothing, since the service tells each app alone.
// SPDX-License-Identifier: Apache-2.0
//
// Build: cc -o client client.c $(pkg-config --cflags --libs libsystemd)
// The system bus, or the one in DBUS_SYSTEM_BUS_ADDRESS.

#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

static const char *const NAME = "org.example.NetworkAccessibility";
static const char *const PATH = "/org/example/NetworkAccessibility";

// The answer to Start and the body of StateChanged are the same: s state, b reachable, s reason, a{sv} details.
static int show(sd_bus_message *message) {
    const char *state, *reason, *key, *transport = "";
    int reachable;
    int r = sd_bus_message_read(message, "sbs", &state, &reachable, &reason);
    if (r < 0 || (r = sd_bus_message_enter_container(message, 'a', "{sv}")) < 0) return r;
    while ((r = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
        if ((r = sd_bus_message_read(message, "s", &key)) < 0) return r;
        r = strcmp(key, "Transport") == 0 ? sd_bus_message_read(message, "v", "s", &transport)
                                          : sd_bus_message_skip(message, "v");
        if (r < 0 || (r = sd_bus_message_exit_container(message)) < 0) return r;
    }
    printf("%s %s %s %s\n", state, reachable ? "reachable" : "not reachable", reason, transport);
    return fflush(stdout);
}

static int on_changed(sd_bus_message *message, void *data, sd_bus_error *error) {
    return show(message);
}

static int on_started(sd_bus_message *message, void *data, sd_bus_error *error) {
    if (!sd_bus_message_is_method_error(message, NULL)) return show(message);
    fprintf(stderr, "%s\n", sd_bus_message_get_error(message)->message);
    return 0;
}

// The service has come, at first or again: it knows nothing of those who listened to the one before.
static int on_owner(sd_bus_message *message, void *data, sd_bus_error *error) {
    const char *name, *old, *new;
    int r = sd_bus_message_read(message, "sss", &name, &old, &new);
    if (r < 0 || new[0] == '\0') return r;
    return sd_bus_call_method_async(sd_bus_message_get_bus(message), NULL, NAME, PATH, NAME, "Start", on_started, NULL, "");
}

int main(void) {
    sd_bus *bus = NULL;
    int r = sd_bus_open_system(&bus);
    if (r >= 0) r = sd_bus_match_signal(bus, NULL, NAME, PATH, NAME, "StateChanged", on_changed, NULL);
    if (r >= 0)
        r = sd_bus_add_match(
            bus, NULL,
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',"
            "arg0='org.example.NetworkAccessibility'",
            on_owner, NULL);
    if (r >= 0) r = sd_bus_call_method_async(bus, NULL, NAME, PATH, NAME, "Start", on_started, NULL, "");
    while (r >= 0) {
        r = sd_bus_process(bus, NULL);
        if (r == 0) r = sd_bus_wait(bus, UINT64_MAX);
    }
    fprintf(stderr, "%s\n", strerror(-r));
    sd_bus_flush_close_unref(bus);
    return 1;
}
