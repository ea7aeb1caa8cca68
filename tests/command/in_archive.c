/* A member of an archive, which nothing refers to. */
int unused_function(void) { return 1; }
