// SPDX-License-Identifier: Apache-2.0
// The bus side of all programs. The peers speak the service's own interface, under other bus names.
#pragma once

#include "common.h"

#include <dbus/dbus.h>

#define SERVICE_PATH "/org/example/NetworkAccessibility"
#define SERVICE_INTERFACE "org.example.NetworkAccessibility"

/// A connection of its own, so that one process can hold many.
static inline DBusConnection *bus_connect(const char *address)
{
    DBusError error = DBUS_ERROR_INIT;
    if (!address)
        fail("--address is needed");
    DBusConnection *connection = dbus_connection_open_private(address, &error);
    if (!connection || !dbus_bus_register(connection, &error))
        fail("no connection to the bus: %s", error.message);
    return connection;
}

/// Takes a name, or ends the program.
static inline void bus_own(DBusConnection *connection, const char *name)
{
    DBusError error = DBUS_ERROR_INIT;
    int result = dbus_bus_request_name(connection, name, DBUS_NAME_FLAG_DO_NOT_QUEUE, &error);
    if (result != DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER)
        fail("cannot own %s: %s", name, result < 0 ? error.message : "it is taken");
}

/// The descriptor to wait on.
static inline int bus_descriptor(DBusConnection *connection)
{
    int descriptor;
    if (!dbus_connection_get_unix_fd(connection, &descriptor))
        fail("the bus has gone");
    return descriptor;
}

/// Makes a call and waits for its reply; consumes the call. An error ends the program.
static inline DBusMessage *bus_call(DBusConnection *connection, DBusMessage *call)
{
    DBusError error = DBUS_ERROR_INIT;
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(connection, call, 10000, &error);
    if (!reply)
        fail("%s: %s", dbus_message_get_member(call), error.message);
    dbus_message_unref(call);
    return reply;
}

/// Becomes an observer of a service.
static inline void bus_start(DBusConnection *connection, const char *name)
{
    dbus_message_unref(
        bus_call(connection, dbus_message_new_method_call(name, SERVICE_PATH, SERVICE_INTERFACE, "Start")));
}

/// Asks the bus for the signals that match a rule, and waits until it is so.
static inline void bus_listen(DBusConnection *connection, const char *rule)
{
    DBusError error = DBUS_ERROR_INIT;
    dbus_bus_add_match(connection, rule, &error);
    if (dbus_error_is_set(&error))
        fail("%s: %s", rule, error.message);
}

/// The process behind a bus name.
static inline pid_t bus_process(DBusConnection *connection, const char *name)
{
    DBusMessage *call = dbus_message_new_method_call(
        DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "GetConnectionUnixProcessID");
    dbus_message_append_args(call, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
    DBusMessage *reply = bus_call(connection, call);
    dbus_uint32_t process = 0;
    dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &process, DBUS_TYPE_INVALID);
    dbus_message_unref(reply);
    return (pid_t)process;
}
