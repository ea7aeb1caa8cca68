__thread int depth = 8;
__thread const char *name = "of this thread";
