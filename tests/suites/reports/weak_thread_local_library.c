// The library of weak_thread_local.c.
__thread int level = 4;

int get_level(void) { return level; }
