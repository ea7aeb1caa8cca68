// The same program, for a test with other options.

#include "uses_replaced.cc"
