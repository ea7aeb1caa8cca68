// The other file of inline_thread_local.cc.
#include "inline_thread_local.h"

int* OtherDepthAddress() { return &Depth::value; }
