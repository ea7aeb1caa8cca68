// Virtual inheritance with thunks, covariant results, pointers to virtual and plain members and to
// data members in tables, pure virtual classes, construction vtables, and calls during
// construction.
#include <cstdio>
#include <typeinfo>

namespace {
struct Root {
  explicit Root(int n) : n(n) { std::printf("Root %d %s\n", n, Kind()); }
  virtual ~Root() { std::printf("~Root %s\n", Kind()); }
  virtual const char *Kind() const { return "root"; }
  virtual Root *Self() { return this; }
  int n;
};
struct Left : virtual Root {
  Left() : Root(1) { std::printf("Left %s\n", Kind()); }
  ~Left() override { std::printf("~Left %s\n", Kind()); }
  const char *Kind() const override { return "left"; }
  virtual int Measure(int x) { return x + left; }
  int left = 10;
};
struct Right : virtual Root {
  Right() : Root(2) { std::printf("Right %s\n", Kind()); }
  virtual int Measure(int x) { return x - right; }
  virtual int Only() { return 77; }
  int right = 20;
};
struct Bottom final : Left, Right {
  Bottom() : Root(3) { std::printf("Bottom %s\n", Kind()); }
  ~Bottom() override { std::printf("~Bottom %d\n", extra); }
  const char *Kind() const override { return "bottom"; }
  Bottom *Self() override { return this; }
  int Measure(int x) override { return x * extra; }
  int Plain(int x) { return x + extra; }
  int extra = 3;
};
struct Interface {
  virtual int Run(int) const = 0;

 protected:
  ~Interface() = default;
};
template <int kBy>
struct Multiply final : Interface {
  int Run(int n) const override { return n * kBy; }
};

int (Left::*const members[])(int) = {&Left::Measure};
int (Bottom::*const more_members[])(int) = {&Bottom::Plain, &Bottom::Measure, nullptr};
int Root::*const fields[] = {&Root::n, nullptr};
const Multiply<3> three{};
const Multiply<5> five{};
const Interface *const interfaces[] = {&three, &five};

int Apply(Left &object, int (Left::*member)(int), int x) { return (object.*member)(x); }
}  // namespace

int main() {
  Root *root = new Bottom;
  Left plain;
  Bottom bottom;
  Right &right = bottom;
  Left &left = bottom;
  std::printf("%d %d %d\n", right.Measure(4), left.Measure(5), right.Only());
  std::printf("%d %d\n", Apply(plain, members[0], 6), Apply(bottom, members[0], 6));
  for (auto member : more_members) {
    if (member != nullptr) std::printf("%d ", (bottom.*member)(8));
  }
  std::printf("%d %d\n", bottom.*fields[0], fields[1] == nullptr);
  std::printf("%d %d\n", root->Self() == root, dynamic_cast<Right *>(root)->Only());
  std::printf("%d\n", static_cast<Right *>(dynamic_cast<Bottom *>(root))->Self() == root);
  const Root *self = right.Self();
  std::printf("%s\n", typeid(*self).name());
  for (const Interface *each : interfaces) std::printf("%d ", each->Run(7));
  std::printf("\n");
  delete root;
  return 0;
}
