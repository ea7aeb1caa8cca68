// Another one.

int given_second(void) { return 2; }
int given_by_both(void) { return 2; }
int defined_by_all(void) { return 2; }
int replaced_by_host(void) { return 2; }
