// SPDX-License-Identifier: Apache-2.0

// How Swift's library gets at the arguments of a program.
//
// Swift's own way does without the C library's help: before `main`, whether the arguments are wanted or not, it reads the whole of
// /proc/self/maps and takes it apart with sscanf(3), in order to find the stack and the arguments on it. With the libraries
// behind libdbus that is a twentieth of the service's start. glibc hands the arguments to every constructor, so these two
// stand in for the functions of the same names (CommandLine.cpp of Swift's library), which then are not linked. For programs
// only: a library must not decide this for whoever uses it.

static int count;
static char **values;

__attribute__((constructor)) static void keep_arguments(int argc, char **argv)
{
    count = argc;
    values = argv;
}

/// What `CommandLine` asks for: the arguments, and how many they are.
char **_swift_stdlib_getUnsafeArgvArgc(int *out_count)
{
    *out_count = count;
    return values;
}

/// For hosts that start a program's `main` with arguments of their own.
void _swift_stdlib_overrideUnsafeArgvArgc(char **argv, int argc)
{
    count = argc;
    values = argv;
}
