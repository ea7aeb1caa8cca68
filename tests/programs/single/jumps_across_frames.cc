// setjmp and longjmp, also from a callback of qsort and repeatedly, next to exceptions; catch
// blocks that throw, function try blocks, and unwinding through frames that are called for the
// first time then.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

namespace {
std::jmp_buf place;
int rounds;

int Jump(const void *, const void *) { std::longjmp(place, 5); }
int Sort() {
  int numbers[] = {3, 2, 1};
  std::qsort(numbers, 3, sizeof(int), Jump);
  return 0;
}
int Again(volatile int *count) {
  const int result = setjmp(place);
  *count += 1;
  if (result < 3) std::longjmp(place, result + 1);
  return result;
}
struct Member {
  explicit Member(int n) {
    if (n < 0) throw n;
  }
};
struct Whole {
  explicit Whole(int n) try : member(n) { std::printf("whole\n"); } catch (int &thrown) {
    std::printf("caught %d\n", thrown);
    thrown *= 2;
  }
  Member member;
};
struct Cleaner {
  ~Cleaner() {
    try {
      ++rounds;
      throw 'c';
    } catch (char) {
      std::printf("clean %d\n", rounds);
    }
  }
};
void Rethrow(int depth) {
  Cleaner cleaner;
  try {
    if (depth == 0) throw 1L;
    Rethrow(depth - 1);
  } catch (long &n) {
    n *= 3;
    if (depth % 2) throw;
    throw n + 1;
  }
}
}  // namespace

int main() {
  volatile int count = 0;
  if (const int result = setjmp(place)) {
    std::printf("back with %d\n", result);
  } else {
    std::printf("%d\n", Sort());
  }
  std::printf("%d\n", Again(&count));
  std::printf("%d\n", count);
  try {
    Whole whole(1);
    Whole broken(-4);
  } catch (int n) {
    std::printf("then %d\n", n);
  }
  try {
    Rethrow(5);
  } catch (long n) {
    std::printf("%ld\n", n);
  }
  return 0;
}
