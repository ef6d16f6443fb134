// SPDX-License-Identifier: Apache-2.0
// From before the exec of a service until the bus says that its name is owned. Prints {"start":[ns, one per round]}.

#include "bus.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static const char *address, *name;
static long rounds = 5, gap = 200, timeout = 20000;
static const struct option_row OPTIONS[] = {
    {"address", TEXT, &address, "the bus"},
    {"name", TEXT, &name, "the bus name to wait for"},
    {"rounds", NUMBER, &rounds, "starts (5)"},
    {"gap", NUMBER, &gap, "milliseconds of rest before each (200)"},
    {"timeout", NUMBER, &timeout, "milliseconds after which a start has failed (20000)"},
    {0},
};

/// Takes what the bus has said; true if the name has got an owner.
static bool has_owner_now(DBusConnection *connection)
{
    bool owned = false;
    for (DBusMessage *message; (message = dbus_connection_pop_message(connection)); dbus_message_unref(message)) {
        const char *whose, *before, *after;
        owned |= dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged")
            && dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &whose, DBUS_TYPE_STRING, &before,
                DBUS_TYPE_STRING, &after, DBUS_TYPE_INVALID)
            && !strcmp(whose, name) && *after;
    }
    return owned;
}

static void rest(DBusConnection *connection)
{
    sleep_until(now() + (uint64_t)gap * NANOSECONDS_PER_MILLISECOND);
    dbus_connection_read_write(connection, 0);
    has_owner_now(connection);
}

/// Becomes the command, silent, and ended by the kernel should this program be killed.
__attribute__((noreturn)) static void become(char **command)
{
    int null = (int)check(open("/dev/null", O_WRONLY | O_CLOEXEC), "/dev/null");
    dup2(null, STDOUT_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(command[0], command);
    fail("%s: %s", command[0], strerror(errno));
}

/// Starts the command, waits for its name, ends it. The time between, or 0 if the name did not come.
static uint64_t start_once(DBusConnection *connection, char **command)
{
    uint64_t start = now(), end = start + (uint64_t)timeout * NANOSECONDS_PER_MILLISECOND, time = 0;
    pid_t process = (pid_t)check(fork(), "fork");
    if (process == 0)
        become(command);
    while (!time && now() < end && dbus_connection_read_write(connection, milliseconds_until(end)))
        if (has_owner_now(connection))
            time = now() - start;
    kill(process, SIGTERM);
    waitpid(process, NULL, 0);
    return time;
}

int main(int argc, char **argv)
{
    int first = read_options(argc, argv, OPTIONS, "--address=ADDRESS --name=NAME [OPTIONS] -- COMMAND...");
    if (first == argc || !name)
        fail("a name and a command are needed");
    DBusConnection *connection = bus_connect(address);
    char rule[400];
    snprintf(rule, sizeof rule,
        "type='signal',sender='" DBUS_SERVICE_DBUS "',member='NameOwnerChanged',arg0='%s'", name);
    dbus_bus_add_match(connection, rule, NULL);
    dbus_connection_flush(connection);

    uint64_t *times = allocate((size_t)rounds, sizeof *times);
    for (long round = 0; round < rounds; round++) {
        rest(connection);
        times[round] = start_once(connection, argv + first);
        if (!times[round])
            fail("%s was not owned in time", name);
    }
    putchar('{');
    print_series("start", times, (size_t)rounds);
    puts("}");
}
