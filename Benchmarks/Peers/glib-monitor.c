// SPDX-License-Identifier: Apache-2.0
// What a program gets that asks GLib: tells on the bus when GNetworkMonitor says that the network has changed. Broadcasts
// StateChanged(b available) under its own name. With GIO_USE_NETWORK_MONITOR=netlink it listens to the kernel.

#include <gio/gio.h>

static char *address, *name;
static const GOptionEntry OPTIONS[] = {
    {"address", 0, 0, G_OPTION_ARG_STRING, &address, "the bus", "ADDRESS"},
    {"name", 0, 0, G_OPTION_ARG_STRING, &name, "the bus name to own", "NAME"},
    {0},
};

static void tell(GNetworkMonitor *monitor, gboolean available, gpointer connection)
{
    (void)monitor;
    g_dbus_connection_emit_signal(connection, NULL, "/org/example/Benchmark", "org.example.Benchmark", "StateChanged",
        g_variant_new("(b)", available), NULL);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_option_context_add_main_entries(context, OPTIONS, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error) || !address || !name)
        g_error("--address and --name are needed: %s", error ? error->message : "");
    GNetworkMonitor *monitor = g_network_monitor_get_default();
    GDBusConnection *connection = g_dbus_connection_new_for_address_sync(address,
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, &error);
    if (!connection)
        g_error("%s", error->message);
    g_signal_connect(monitor, "network-changed", G_CALLBACK(tell), connection);
    g_bus_own_name_on_connection(connection, name, G_BUS_NAME_OWNER_FLAGS_DO_NOT_QUEUE, NULL, NULL, NULL, NULL);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
