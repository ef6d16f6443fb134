// SPDX-License-Identifier: Apache-2.0
// libdbus for Swift. The inline functions stand in for C that Swift cannot import; no logic lives here.
#ifndef NETWORK_ACCESSIBILITY_CDBUS_H
#define NETWORK_ACCESSIBILITY_CDBUS_H

#include <dbus/dbus.h>

// DBUS_ERROR_INIT is a braced initializer with a bit-field in it, which Swift does not import.
static inline DBusError na_dbus_error_init(void) {
    DBusError error = DBUS_ERROR_INIT;
    return error;
}

#endif
