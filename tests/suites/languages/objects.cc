// What compilers make of C++'s objects: virtual functions and bases, exceptions and what they clean
// up, members by pointers, the standard library's containers, variables with constructors, threads.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <variant>
#include <vector>

namespace {

// Says when it comes and goes.
struct Noisy {
  explicit Noisy(const char *its_name) : name(its_name) { std::printf("+%s ", name.c_str()); }
  Noisy(const Noisy &other) : name(other.name + "'") { std::printf("=%s ", name.c_str()); }
  Noisy(Noisy &&other) noexcept : name(std::move(other.name)) { other.name = "moved"; }
  ~Noisy() { std::printf("-%s ", name.c_str()); }
  std::string name;
};

Noisy global("global");
thread_local Noisy of_thread("thread's");

// --- Classes ---
struct Shape {
  virtual ~Shape() = default;
  virtual double Area() const = 0;
  virtual Shape *Copy() const = 0;
};
struct Named {
  explicit Named(std::string its_name) : name(std::move(its_name)) {}
  virtual ~Named() { std::printf("~%s ", name.c_str()); }
  virtual std::string Describe() const { return "named " + name; }
  std::string name;
};
struct Square : Shape, virtual Named {
  explicit Square(double its_side) : Named("square"), side(its_side) {}
  double Area() const override { return side * side; }
  Square *Copy() const override { return new Square(side + 1); }
  std::string Describe() const override { return name + " of " + std::to_string(Area()); }
  double side;
};
struct Colored : virtual Named {
  Colored() : Named("colored") {}
  int color = 7;
};
struct ColoredSquare final : Square, Colored {
  ColoredSquare() : Named("both"), Square(2) {}
  double Area() const override { return Square::Area() * color; }
  ColoredSquare *Copy() const override { return new ColoredSquare(*this); }
};

void Classes() {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.emplace_back(new Square(3));
  shapes.emplace_back(new ColoredSquare);
  for (size_t i = 0; i < 2; ++i) shapes.emplace_back(shapes[i]->Copy());
  for (const auto &shape : shapes) {
    const auto *named = dynamic_cast<const Named *>(shape.get());
    const auto *colored = dynamic_cast<const Colored *>(shape.get());
    std::printf("%g %s %d %d\n", shape->Area(), named->Describe().c_str(),
                colored == nullptr ? -1 : colored->color, typeid(*shape) == typeid(Square));
  }
  double (Shape::*area)() const = &Shape::Area;
  double Square::*side = &Square::side;
  auto &first = static_cast<Square &>(*shapes[0]);
  first.*side *= 2;
  std::printf("%g\n", (first.*area)());
}

// --- Exceptions ---
struct Failure : std::runtime_error {
  Failure(const std::string &what, int its_code) : std::runtime_error(what), code(its_code) {}
  int code;
};

struct HalfMade {
  HalfMade() : first("first"), second("second") { throw Failure("half made", 3); }
  Noisy first, second;
};

struct Guarded {
  Guarded() try : member("member") { throw 1.5; } catch (double d) {
    std::printf("in the constructor: %g ", d);
    throw std::string("instead");
  }
  Noisy member;
};

int Throw(int kind) {
  const Noisy cleaned("cleaned");
  switch (kind) {
    case 0:
      return 100;
    case 1:
      throw 42;
    case 2:
      throw Failure("failure", 7);
    case 3:
      throw "text";
    case 4:
      return static_cast<int>(std::string("abc").at(9));
    case 5:
      HalfMade();
      break;
    case 6:
      Guarded();
      break;
    case 7:
      try {
        Throw(2);
      } catch (const std::exception &) {
        std::printf("again ");
        throw;
      }
      break;
    default:
      std::throw_with_nested(Failure("outer", kind));  // Without an inner one.
  }
  return 0;
}

void Exceptions() {
  for (int kind = 0; kind < 9; ++kind) {
    try {
      std::printf("%d\n", Throw(kind));
    } catch (int n) {
      std::printf("int %d\n", n);
    } catch (const Failure &failure) {
      std::printf("%s %d\n", failure.what(), failure.code);
    } catch (const std::out_of_range &) {
      std::printf("out of range\n");
    } catch (const std::string &text) {
      std::printf("%s\n", text.c_str());
    } catch (...) {
      std::printf("something\n");
    }
  }
  std::exception_ptr kept;
  try {
    throw Failure("kept", 1);
  } catch (...) {
    kept = std::current_exception();
  }
  try {
    std::rethrow_exception(kept);
  } catch (std::runtime_error &error) {
    std::printf("%s %d\n", error.what(), std::uncaught_exceptions());
  }
}

// --- Templates and the library ---
template <typename... Numbers>
auto Sum(Numbers... numbers) {
  return (numbers + ... + 0);
}

template <int kN>
struct Fibonacci {
  static constexpr long kValue = Fibonacci<kN - 1>::kValue + Fibonacci<kN - 2>::kValue;
};
template <>
struct Fibonacci<1> {
  static constexpr long kValue = 1;
};
template <>
struct Fibonacci<0> {
  static constexpr long kValue = 0;
};

void Library() {
  std::printf("%g %ld\n", Sum(1, 2.5, 3L, 'a'), Fibonacci<40>::kValue);
  std::map<std::string, std::vector<int>> positions;
  std::istringstream words("one two three two one two");
  int position = 0;
  for (std::string word; words >> word;) positions[word].push_back(position++);
  for (const auto &[word, found] : positions) {
    std::printf("%s:%d ", word.c_str(), std::accumulate(found.begin(), found.end(), 0));
  }
  std::vector<std::function<int(int)>> functions;
  for (int i = 1; i <= 3; ++i)
    functions.emplace_back(
        [i, text = std::string(i, 'x')](int n) { return n * i + (int)text.size(); });
  functions.emplace_back(std::negate<int>());
  int value = 1;
  for (const auto &function : functions) value = function(value);
  std::printf("%d\n", value);
  std::vector<std::variant<int, double, std::string>> mixed = {1, 2.5, std::string("three")};
  for (const auto &one : mixed) {
    std::visit(
        [](const auto &content) {
          std::ostringstream text;
          text << content << ' ' << sizeof(content) % 8;
          std::printf("[%s] ", text.str().c_str());
        },
        one);
  }
  std::optional<Noisy> maybe;
  maybe.emplace("maybe");
  const Noisy copy = *maybe;
  maybe.reset();
  std::shared_ptr<Noisy> shared = std::make_shared<Noisy>("shared");
  const std::weak_ptr<Noisy> weak = shared;
  shared.reset();
  std::printf("%d\n", weak.expired());
  std::vector<std::string> texts = {"delta", "alpha", "charlie", "bravo"};
  std::sort(texts.begin(), texts.end(), [](const auto &a, const auto &b) {
    return a.size() != b.size() ? a.size() < b.size() : a > b;
  });
  for (const std::string &text : texts) std::printf("%s ", text.c_str());
  std::printf("\n");
}

// --- Threads ---
const std::string &Once() {
  static const std::string text = [] {
    std::printf("(once) ");
    return std::string(40, '.');
  }();
  return text;
}

void Threads() {
  std::atomic<long> total{0};
  std::mutex mutex;
  std::map<int, int> counts;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 1000; ++n) {
        total += n * i;
        const std::lock_guard<std::mutex> lock(mutex);
        ++counts[n % 7];
      }
      try {
        throw i;
      } catch (int caught) {
        total += caught;
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  std::printf("%ld %d %zu %zu %s\n", total.load(), counts[3], Once().size(), Once().size(),
              of_thread.name.c_str());
}

}  // namespace

int main() {
  Classes();
  Exceptions();
  Library();
  Threads();
}
