// SPDX-License-Identifier: Apache-2.0
//
// GTK and libadwaita, and what Swift cannot call of them: functions with a variable number of arguments, and macros.
#pragma once
#include <adwaita.h>

/// Gets the first argument of a signal, or the object itself if the signal has none.
typedef gint (*NAHandler)(gpointer data, gpointer argument);

/// Connects a handler; its result counts for signals that want a number or a boolean.
static inline void na_connect(
    gpointer object, const char *signal, NAHandler handler, gpointer data, GClosureNotify release)
{
    // With the data first, one kind of function serves for signals with any number of arguments.
    g_signal_connect_data(object, signal, G_CALLBACK(handler), data, release, G_CONNECT_SWAPPED);
}

static inline void na_set_accessible_label(GtkWidget *widget, const char *text)
{
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static inline void na_set_accessible_description(GtkWidget *widget, const char *text)
{
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

/// An action, with a text as its parameter if it has one.
static inline gpointer na_add_action(gpointer map, const char *name, gboolean takes_text)
{
    GSimpleAction *action = g_simple_action_new(name, takes_text ? G_VARIANT_TYPE_STRING : NULL);
    g_action_map_add_action(G_ACTION_MAP(map), G_ACTION(action));
    g_object_unref(action);
    return action;
}

static inline void na_set_shortcut(GtkApplication *application, const char *action, const char *key)
{
    gtk_application_set_accels_for_action(application, action, (const char *[]) { key, NULL });
}

static inline void na_bind(gpointer source, const char *property, gpointer target, const char *its_property)
{
    g_object_bind_property(source, property, target, its_property, G_BINDING_SYNC_CREATE);
}
