// SPDX-License-Identifier: Apache-2.0
// What all programs share: failing, the clock, options, results.
//
// Results go to standard output as one line of JSON, times in nanoseconds: `run` draws the medians and the ratios.
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// Ends the program with a message.
__attribute__((noreturn, format(printf, 1, 2))) static inline void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

/// Ends the program if a system call failed, with the reason.
static inline long check(long result, const char *what)
{
    if (result < 0)
        fail("%s: %s", what, strerror(errno));
    return result;
}

/// Memory for `count` elements, zeroed; the program ends if there is none.
static inline void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        fail("out of memory");
    return memory;
}

// --- Time ---

enum { NANOSECONDS_PER_MILLISECOND = 1000000, NANOSECONDS_PER_SECOND = 1000000000 };

/// Monotonic time in nanoseconds.
static inline uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * NANOSECONDS_PER_SECOND + (uint64_t)time.tv_nsec;
}

/// Sleeps until a point in monotonic time.
static inline void sleep_until(uint64_t end)
{
    struct timespec time = {(time_t)(end / NANOSECONDS_PER_SECOND), (long)(end % NANOSECONDS_PER_SECOND)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        ;
}

/// How long to wait at most until a point in monotonic time, in the unit of poll(2), rounded up.
static inline int milliseconds_until(uint64_t end)
{
    uint64_t time = now();
    return time >= end ? 0 : (int)((end - time + NANOSECONDS_PER_MILLISECOND - 1) / NANOSECONDS_PER_MILLISECOND);
}

// --- Options ---

/// One option of a program: `--name` for a flag, `--name=value` for the others.
struct option_row {
    const char *name;
    enum { FLAG, NUMBER, TEXT } kind;
    void *value; // bool *, long * or const char **
    const char *help;
};

/// Reads the options; `rows` ends with an empty one. Returns the index of the first argument that is none.
static inline int read_options(int argc, char **argv, const struct option_row *rows, const char *usage)
{
    int index = 1;
    for (; index < argc && !strncmp(argv[index], "--", 2); index++) {
        const char *text = argv[index] + 2, *value = strchr(text, '=');
        if (!*text)
            return index + 1;
        size_t length = value ? (size_t)(value++ - text) : strlen(text);
        const struct option_row *row = rows;
        while (row->name && (strlen(row->name) != length || strncmp(row->name, text, length)))
            row++;
        char *end = "";
        if (row->name && row->kind == FLAG && !value)
            *(bool *)row->value = true;
        else if (row->name && row->kind == TEXT && value)
            *(const char **)row->value = value;
        else if (row->name && row->kind == NUMBER && value && *value)
            *(long *)row->value = strtol(value, &end, 10);
        else
            end = argv[index];
        if (*end) {
            fprintf(stderr, "usage: %s %s\n", program_invocation_short_name, usage);
            for (row = rows; row->name; row++)
                fprintf(stderr, "  --%s%s  %s\n", row->name, row->kind == FLAG ? "" : "=...", row->help);
            exit(2);
        }
    }
    return index;
}

// --- Results ---

/// Prints `"name":[...]`, one member of the result.
static inline void print_series(const char *name, const uint64_t *values, size_t count)
{
    printf("\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        printf("%s%llu", i ? "," : "", (unsigned long long)values[i]);
    putchar(']');
}
