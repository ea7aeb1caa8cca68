// A small C++ program of the everyday kind: iostream, containers, an exception caught two calls up.
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

int ParseDigit(char c) {
  if (c < '0' || c > '9') throw std::invalid_argument(std::string("not a digit: ") + c);
  return c - '0';
}

int SumDigits(const std::string& text) {
  int sum = 0;
  for (const char c : text) sum += ParseDigit(c);
  return sum;
}

}  // namespace

int main() {
  const std::vector<std::string> inputs = {"2024", "19", "4x2", "7"};
  std::map<std::string, int> sums;
  for (const std::string& input : inputs) {
    try {
      sums[input] = SumDigits(input);
    } catch (const std::invalid_argument& error) {
      std::cout << input << ": " << error.what() << "\n";
    }
  }
  for (const auto& entry : sums) std::cout << entry.first << " = " << entry.second << std::endl;
  return 0;
}
