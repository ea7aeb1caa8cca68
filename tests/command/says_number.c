// A module that prints its number, NUMBER, when a program starts.

#include <stdio.h>

__attribute__((constructor)) static void say(void) { printf("module %d\n", NUMBER); }
