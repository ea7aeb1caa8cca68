// A shared library of shared_libraries_test: its functions say where they are.

int given_first(void) { return 1; }
int given_by_both(void) { return 1; }
int defined_by_all(void) { return 1; }
int rand(void) { return 1; }
__thread int given_thread_local = 1;

int call_defined_by_all(void) { return defined_by_all(); }
