/* ping.c with its partner compiled before, in an object file. */
#include "ping.c"
