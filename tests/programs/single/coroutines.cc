// C++20 coroutines: generators, tasks that await each other, symmetric transfer without growth of
// the stack, exceptions out of them and destruction while suspended; also recursive ones and one of
// a lambda.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <functional>
#include <utility>

namespace {
struct Note {
  explicit Note(const char *name) : name(name) {}
  ~Note() { std::printf("end %s\n", name); }
  const char *name;
};

template <class T>
class Generator {
 public:
  struct promise_type {
    Generator get_return_object() { return Generator(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T value) {
      current = value;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
    T current{};
    std::exception_ptr error;
  };
  using Handle = std::coroutine_handle<promise_type>;
  explicit Generator(Handle handle) : handle_(handle) {}
  Generator(Generator &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~Generator() {
    if (handle_) handle_.destroy();
  }
  bool Next() {
    handle_.resume();
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    return !handle_.done();
  }
  T Value() const { return handle_.promise().current; }

 private:
  Handle handle_;
};

Generator<int> Count(int from, int to) {
  Note note("Count");
  for (int i = from; i < to; ++i) co_yield i;
}
Generator<int> Tree(int depth) {
  if (depth == 0) co_return;
  for (auto left = Tree(depth - 1); left.Next();) co_yield left.Value();
  co_yield depth;
  for (auto right = Tree(depth - 1); right.Next();) co_yield right.Value();
}
Generator<int> Fails() {
  Note note("Fails");
  co_yield 1;
  throw 5;
}

struct Task {
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;
  struct Final {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle self) noexcept { return self.promise().next; }
    void await_resume() noexcept {}
  };
  struct promise_type {
    Task get_return_object() { return Task{Handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_value(long result) { value = result; }
    void unhandled_exception() { std::terminate(); }
    std::coroutine_handle<> next = std::noop_coroutine();
    long value = 0;
  };
  explicit Task(Handle handle) : handle(handle) {}
  Task(Task &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) {
    handle.promise().next = awaiting;
    return handle;
  }
  long await_resume() { return handle.promise().value; }
  Handle handle;
};
Task Small(long n) { co_return n * 2; }
Task Loop(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += co_await Small(i);
  co_return sum;
}
}  // namespace

int main() {
  for (auto count = Count(3, 6); count.Next();) std::printf("%d\n", count.Value());
  {
    auto unfinished = Count(0, 100);
    unfinished.Next();
  }
  for (auto tree = Tree(3); tree.Next();) std::printf("%d ", tree.Value());
  std::printf("\n");
  try {
    for (auto fails = Fails(); fails.Next();) std::printf("%d\n", fails.Value());
  } catch (int n) {
    std::printf("thrown %d\n", n);
  }
  Task task = Loop(500);
  task.handle.resume();
  std::printf("%ld %d\n", task.handle.promise().value, task.handle.done());
  int base = 10;
  std::function<Generator<int>()> maker = [&base]() -> Generator<int> {
    co_yield base++;
    co_yield base++;
  };
  for (auto made = maker(); made.Next();) std::printf("%d ", made.Value());
  std::printf("%d\n", base);
  return 0;
}
