// GDBusProxy reads all properties when it is made, which makes an observer of it: a match rule alone hears nothing.
// SPDX-License-Identifier: Apache-2.0
//
// Build: cc -o client client.c $(pkg-config --cflags --libs gio-2.0)
// The system bus, or the one in DBUS_SYSTEM_BUS_ADDRESS.

#include <gio/gio.h>
#include <stdio.h>

static void show(GVariant *view) {
    const char *state, *reason, *transport = "";
    gboolean reachable;
    g_autoptr(GVariant) details = NULL;
    g_variant_get(view, "(&sb&s@a{sv})", &state, &reachable, &reason, &details);
    g_variant_lookup(details, "Transport", "&s", &transport);
    printf("%s %s %s %s\n", state, reachable ? "reachable" : "not reachable", reason, transport);
    fflush(stdout);
}

static void on_signal(GDBusProxy *proxy, const char *sender, const char *signal, GVariant *arguments, gpointer data) {
    if (g_str_equal(signal, "StateChanged") && g_variant_is_of_type(arguments, G_VARIANT_TYPE("(sbsa{sv})"))) show(arguments);
}

static void on_started(GObject *proxy, GAsyncResult *result, gpointer data) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GVariant) view = g_dbus_proxy_call_finish(G_DBUS_PROXY(proxy), result, &error);
    if (view == NULL) g_printerr("%s\n", error->message);
    else if (g_variant_is_of_type(view, G_VARIANT_TYPE("(sbsa{sv})"))) show(view);
}

// Also when the service has been started again: it knows nothing of those who listened to the one before.
static void start(GDBusProxy *proxy) {
    g_dbus_proxy_call(proxy, "Start", NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, on_started, NULL);
}

static void on_owner(GDBusProxy *proxy, GParamSpec *property, gpointer data) {
    g_autofree char *owner = g_dbus_proxy_get_name_owner(proxy);
    if (owner != NULL) start(proxy);
}

int main(void) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GDBusProxy) proxy = g_dbus_proxy_new_for_bus_sync(
        G_BUS_TYPE_SYSTEM, G_DBUS_PROXY_FLAGS_NONE, NULL, "org.example.NetworkAccessibility",
        "/org/example/NetworkAccessibility", "org.example.NetworkAccessibility", NULL, &error);
    if (proxy == NULL) {
        g_printerr("%s\n", error->message);
        return 1;
    }
    g_signal_connect(proxy, "g-signal", G_CALLBACK(on_signal), NULL);
    g_signal_connect(proxy, "notify::g-name-owner", G_CALLBACK(on_owner), NULL);
    start(proxy);
    g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
    g_main_loop_run(loop);
    return 0;
}
