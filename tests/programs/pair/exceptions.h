// What both modules of exceptions_a.cc know.
struct Failure {
  explicit Failure(int code) : code(code) {}
  virtual ~Failure() {}
  int code;
};
struct Worse : Failure {
  explicit Worse(int code) : Failure(code * 10) {}
};
struct Guard {
  explicit Guard(const char *name) : name(name) {}
  ~Guard() { std::printf("end of %s\n", name); }
  const char *name;
};
struct Base {
  virtual ~Base() {}
  virtual int Value() const { return 1; }
};
struct Left : virtual Base {
  int Value() const override { return 2; }
};
struct Right : virtual Base {
  int Value() const override { return 3; }
};
struct Part {
  explicit Part(int n);
  ~Part() { std::printf("end of part %d\n", n); }
  int n;
};
struct Holder {
  explicit Holder(int n) : first(1), second(2), third(n) {}
  Part first, second, third;
};
void Throw(int how, int code);
void SortElsewhere(int (*compare)(const void *, const void *));
void CallBack(void (*function)(int));
Base *Make(int which);
const std::type_info &TypeOf(int which);
