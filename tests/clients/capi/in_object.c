int in_object(int x);
int in_object(int x) { return x + 100; }
