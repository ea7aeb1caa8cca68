// See merged_first.cc.

int SecondNumber(int x);
int CatchIn(void (*thrower)());
int SecondPrivate();

int CallSecondNumber(int x) { return SecondNumber(x); }
int CallCatchIn(void (*thrower)()) { return CatchIn(thrower); }
int CallSecondPrivate() { return SecondPrivate(); }
