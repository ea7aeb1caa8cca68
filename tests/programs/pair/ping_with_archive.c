/* ping.c with its partner compiled before, in an archive. */
#include "ping.c"
