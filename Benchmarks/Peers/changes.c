// SPDX-License-Identifier: Apache-2.0
// Forbids an app cellular data and allows it again, by `SetPolicy` or by a process of nft(8) for each change. Prints
// {"change":[ns from before a change until it is in force],"cpu":ns of the processes of nft per change}.

#include "bus.h"

#include <sys/resource.h>
#include <sys/wait.h>

static const char *address, *name, *app;
static long changes = 20, gap = 20;
static const struct option_row OPTIONS[] = {
    {"address", TEXT, &address, "the bus"},
    {"name", TEXT, &name, "the service; without it nft reads the files"},
    {"app", TEXT, &app, "the app"},
    {"changes", NUMBER, &changes, "how many (20), an even number"},
    {"gap", NUMBER, &gap, "milliseconds of rest before each (20)"},
    {0},
};

static void set_policy(DBusConnection *connection, const char *policy)
{
    char path[100];
    snprintf(path, sizeof path, SERVICE_PATH "/users/%u", (unsigned)getuid());
    DBusMessage *call = dbus_message_new_method_call(name, path, SERVICE_INTERFACE ".PolicyStore1", "SetPolicy");
    dbus_message_append_args(call, DBUS_TYPE_STRING, &app, DBUS_TYPE_STRING, &policy, DBUS_TYPE_INVALID);
    dbus_message_unref(bus_call(connection, call));
}

static void run_nft(const char *file)
{
    pid_t process = (pid_t)check(vfork(), "vfork");
    if (process == 0) {
        execlp("nft", "nft", "-f", file, NULL);
        _exit(127);
    }
    int status;
    check(waitpid(process, &status, 0), "waitpid");
    if (status)
        fail("nft -f %s: status %d", file, status);
}

int main(int argc, char **argv)
{
    static const char *const policies[] = {"no-cellular", "all"};
    int first = read_options(argc, argv, OPTIONS, "--address=ADDRESS --name=NAME --app=APP | FORBID-FILE ALLOW-FILE");
    if (name ? !app : argc - first != 2)
        fail("a service and an app, or two files are needed");
    DBusConnection *connection = name ? bus_connect(address) : NULL;

    uint64_t *times = allocate((size_t)changes, sizeof *times);
    for (long i = 0; i < changes; i++) {
        sleep_until(now() + (uint64_t)gap * NANOSECONDS_PER_MILLISECOND);
        uint64_t start = now();
        if (connection)
            set_policy(connection, policies[i % 2]);
        else
            run_nft(argv[first + i % 2]);
        times[i] = now() - start;
    }
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    uint64_t microseconds = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
        + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    putchar('{');
    print_series("change", times, (size_t)changes);
    printf(",\"cpu\":%llu}\n", (unsigned long long)(microseconds * 1000 / (uint64_t)changes));
}
