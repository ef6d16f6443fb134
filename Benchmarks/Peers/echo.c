// SPDX-License-Identifier: Apache-2.0
// The floor of a property read: a libdbus service that answers every `Get` with the same word.

#include "bus.h"

static const char *address, *name;
static const struct option_row OPTIONS[] = {
    {"address", TEXT, &address, "the bus"},
    {"name", TEXT, &name, "the bus name to own"},
    {0},
};

static DBusHandlerResult answer(DBusConnection *connection, DBusMessage *call, void *context)
{
    (void)context;
    if (!dbus_message_is_method_call(call, DBUS_INTERFACE_PROPERTIES, "Get"))
        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    const char *word = "accessible";
    DBusMessage *reply = dbus_message_new_method_return(call);
    DBusMessageIter body, variant;
    dbus_message_iter_init_append(reply, &body);
    dbus_message_iter_open_container(&body, DBUS_TYPE_VARIANT, DBUS_TYPE_STRING_AS_STRING, &variant);
    dbus_message_iter_append_basic(&variant, DBUS_TYPE_STRING, &word);
    dbus_message_iter_close_container(&body, &variant);
    dbus_connection_send(connection, reply, NULL);
    dbus_message_unref(reply);
    return DBUS_HANDLER_RESULT_HANDLED;
}

int main(int argc, char **argv)
{
    read_options(argc, argv, OPTIONS, "--address=ADDRESS --name=NAME");
    DBusConnection *connection = bus_connect(address);
    dbus_connection_add_filter(connection, answer, NULL, NULL);
    bus_own(connection, name);
    while (dbus_connection_read_write_dispatch(connection, -1))
        ;
}
