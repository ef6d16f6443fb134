// SPDX-License-Identifier: Apache-2.0
// Reads `CurrentState` of one or several services by turns: round trip and processor time of the service per call.
// Prints {"NAME":{"round_trip":[ns, one per call],"wall":[ns per call, one per turn],"cpu":[the same]},...}.

#include "bus.h"

#include <dirent.h>

static const char *address;
static long calls = 500, turns = 40, outstanding = 1;
static const struct option_row OPTIONS[] = {
    {"address", TEXT, &address, "the bus"},
    {"calls", NUMBER, &calls, "calls in a turn (500)"},
    {"turns", NUMBER, &turns, "turns of each service (40)"},
    {"outstanding", NUMBER, &outstanding, "calls in flight at the same time (1); the round trips are told for 1 only"},
    {0},
};

struct target {
    const char *name;
    pid_t process;
    uint64_t *round_trip, *wall, *cpu;
    size_t round_trips, turns;
};

/// Processor time of all threads of a process, in nanoseconds.
static uint64_t processor_time(pid_t process)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *folder = opendir(path);
    if (!folder)
        fail("%s: %s", path, strerror(errno));
    uint64_t sum = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", process, entry->d_name);
        FILE *file = fopen(path, "r");
        unsigned long long running;
        if (file && fscanf(file, "%llu", &running) == 1)
            sum += running;
        if (file)
            fclose(file);
    }
    closedir(folder);
    return sum;
}

static void send_get(DBusConnection *connection, const char *name)
{
    const char *interface = SERVICE_INTERFACE, *property = "CurrentState";
    DBusMessage *call = dbus_message_new_method_call(name, SERVICE_PATH, DBUS_INTERFACE_PROPERTIES, "Get");
    dbus_message_append_args(
        call, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &property, DBUS_TYPE_INVALID);
    dbus_connection_send(connection, call, NULL);
    dbus_message_unref(call);
}

/// Takes the replies that have come; their number.
static long take_replies(DBusConnection *connection)
{
    if (!dbus_connection_read_write(connection, -1))
        fail("the bus has gone");
    long replies = 0;
    for (DBusMessage *message; (message = dbus_connection_pop_message(connection)); dbus_message_unref(message)) {
        int type = dbus_message_get_type(message);
        if (type == DBUS_MESSAGE_TYPE_ERROR)
            fail("Get: %s", dbus_message_get_error_name(message));
        replies += type == DBUS_MESSAGE_TYPE_METHOD_RETURN;
    }
    return replies;
}

/// Makes the calls of one turn, so many of them in flight.
static void take_turn(DBusConnection *connection, struct target *target)
{
    for (long sent = 0, answered = 0; answered < calls;) {
        uint64_t start = now();
        for (; sent < calls && sent - answered < outstanding; sent++)
            send_get(connection, target->name);
        answered += take_replies(connection);
        if (outstanding == 1 && sent == answered)
            target->round_trip[target->round_trips++] = now() - start;
    }
}

int main(int argc, char **argv)
{
    int first = read_options(argc, argv, OPTIONS, "--address=ADDRESS [OPTIONS] NAME...");
    if (first == argc || calls < 1 || turns < 1 || outstanding < 1)
        fail("give at least one bus name, and positive numbers");
    DBusConnection *connection = bus_connect(address);
    size_t count = (size_t)(argc - first);
    struct target *targets = allocate(count, sizeof *targets);
    for (size_t i = 0; i < count; i++) {
        struct target *target = &targets[i];
        *target = (struct target){.name = argv[(size_t)first + i],
            .process = bus_process(connection, argv[(size_t)first + i]),
            .round_trip = allocate((size_t)(calls * turns), sizeof(uint64_t)),
            .wall = allocate((size_t)turns, sizeof(uint64_t)),
            .cpu = allocate((size_t)turns, sizeof(uint64_t))};
        take_turn(connection, target); // the first calls find the caller's identity and fill the caches: not measured
        target->round_trips = 0;
    }
    for (long turn = 0; turn < turns; turn++)
        for (size_t i = 0; i < count; i++) {
            struct target *target = &targets[turn % 2 ? count - 1 - i : i];
            uint64_t cpu = processor_time(target->process), wall = now();
            take_turn(connection, target);
            target->wall[target->turns] = (now() - wall) / (uint64_t)calls;
            target->cpu[target->turns++] = (processor_time(target->process) - cpu) / (uint64_t)calls;
        }
    putchar('{');
    for (size_t i = 0; i < count; i++) {
        printf("%s\"%s\":{", i ? "," : "", targets[i].name);
        print_series("round_trip", targets[i].round_trip, targets[i].round_trips);
        putchar(',');
        print_series("wall", targets[i].wall, targets[i].turns);
        putchar(',');
        print_series("cpu", targets[i].cpu, targets[i].turns);
        putchar('}');
    }
    puts("}");
}
