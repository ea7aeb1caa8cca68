// What both modules of inline_statics_a.cc know.
struct Log {
  explicit Log(const char *name) : name(name) { std::printf("make %s\n", name); }
  ~Log() { std::printf("end %s\n", name); }
  const char *name;
};
inline int inline_number = 7;
inline Log inline_log("inline");
inline int SharedCounter() {
  static int count = 40;
  static Log log("in SharedCounter");
  return ++count;
}
template <class T>
struct Cell {
  static int value;
};
template <class T>
int Cell<T>::value = static_cast<int>(sizeof(T)) * 10 + SharedCounter() * 0;
inline int *LambdaCount() {
  auto count = []() -> int * {
    static int n;
    return &n;
  };
  ++*count();
  return count();
}
struct Shape {
  virtual ~Shape() { std::printf("end of shape\n"); }
  virtual int Area() const { return 0; }
  virtual const char *Name() const { return "shape"; }
};
template <int kSide>
struct Square : Shape {
  int Area() const override { return kSide * kSide; }
};
static inline int Only() { return 1; }
int UseB();
int CounterInB();
int *InlineNumberInB();
void BumpInB();
int *LambdaCountInB();
Shape *MakeInB();
bool SameFunctionInB(int (*function)());
