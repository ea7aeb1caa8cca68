int in_archive(int x);
int in_archive(int x) { return x * 3; }
