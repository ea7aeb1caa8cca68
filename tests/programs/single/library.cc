// Library-heavy C++: containers, streams, std::function, std::variant, std::regex, threads with a
// condition variable and a future, sorting and memory resources; thousands of small functions, few
// of which run.
#include <algorithm>
#include <condition_variable>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

using Value = std::variant<int, double, std::string>;

std::string Describe(const Value &value) {
  return std::visit(
      [](const auto &held) {
        std::ostringstream text;
        text << std::setprecision(3) << held << '/' << sizeof(held);
        return text.str();
      },
      value);
}

template <class... Parts>
auto Sum(Parts... parts) {
  return (parts + ...);
}

class Counter {
 public:
  void Add(int n) {
    std::lock_guard<std::mutex> lock(mutex_);
    total_ += n;
    if (++calls_ == 4) done_.notify_all();
  }
  int Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return calls_ == 4; });
    return total_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  int total_ = 0;
  int calls_ = 0;
};

}  // namespace

int main() {
  std::map<std::string, std::vector<int>> groups;
  std::string word;
  for (int i = 0; std::cin >> word; ++i) groups[word.substr(0, 1)].push_back(i);
  for (const auto &[key, places] : groups) {
    std::cout << key << ':' << std::accumulate(places.begin(), places.end(), 0) << ' ';
  }
  std::cout << '\n';

  const std::regex pattern("([a-z]+)-([0-9]{2,})");
  const std::string text = "ab-12 c-3 def-4567";
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    std::cout << (*it)[2] << '<' << (*it)[1] << ' ';
  }
  std::cout << std::regex_replace(text, pattern, "$2:$1") << '\n';

  std::unordered_map<int, std::function<int(int)>> functions;
  int calls = 0;
  functions[1] = [&calls](int n) { return ++calls + n; };
  functions[2] = std::bind(std::minus<int>(), std::placeholders::_1, 5);
  functions[3] = [&functions](int n) { return n ? n * functions.at(3)(n - 1) : 1; };
  std::cout << functions[1](10) << ' ' << functions[2](10) << ' ' << functions[3](10) << '\n';
  try {
    std::function<void()>()();
  } catch (const std::bad_function_call &error) {
    std::cout << error.what() << '\n';
  }

  for (const Value &value : {Value(5), Value(2.71828), Value(std::string("text"))}) {
    std::cout << Describe(value).substr(0, 4) << ' ';
  }
  std::cout << Sum(1, 2.5, 3L) << ' ' << std::optional<int>().value_or(9) << '\n';

  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(&Counter::Add, &counter, i * 10);
  std::cout << counter.Wait() << ' ';
  for (std::thread &thread : threads) thread.join();
  std::future<std::string> future =
      std::async(std::launch::async, [] { return std::string(3, 'z'); });
  std::promise<int> promise;
  std::shared_future<int> broken = promise.get_future().share();
  std::thread([&promise] {
    promise.set_exception(std::make_exception_ptr(std::runtime_error("promised")));
  }).join();
  std::cout << future.get() << ' ';
  try {
    broken.get();
  } catch (const std::exception &error) {
    std::cout << error.what() << '\n';
  }

  std::vector<std::tuple<int, std::string>> rows = {{3, "c"}, {1, "b"}, {3, "a"}};
  std::sort(rows.begin(), rows.end());
  std::partition(rows.begin(), rows.end(), [](const auto &row) { return std::get<0>(row) > 1; });
  for (const auto &[number, name] : rows) std::cout << number << name << ' ';
  auto shared = std::make_shared<std::string>("shared");
  std::weak_ptr<std::string> weak = shared;
  std::cout << weak.use_count() << ' ';
  shared.reset();
  std::cout << weak.expired() << ' ' << std::hex << std::setw(6) << std::setfill('0') << 0xbeef
            << std::endl;
  return static_cast<int>(std::string_view("four").size());
}
