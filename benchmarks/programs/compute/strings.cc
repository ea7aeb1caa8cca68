// Building, searching and comparing strings.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "scale.h"

namespace {

std::string Spell(unsigned number) {
  static const char* const digits[] = {"zero", "one", "two",   "three", "four",
                                       "five", "six", "seven", "eight", "nine"};
  std::string text;
  do {
    if (!text.empty()) text = "-" + text;
    text = digits[number % 10] + text;
    number /= 10;
  } while (number != 0);
  return text;
}

std::string Join(const std::vector<std::string>& words, char between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text.push_back(between);
    for (char c : word) text += c == '-' ? '_' : c;
  }
  return text;
}

std::vector<std::string> Split(const std::string& text, char between) {
  std::vector<std::string> words(1);
  for (char c : text) {
    if (c == between) {
      words.emplace_back();
    } else {
      words.back().push_back(c);
    }
  }
  return words;
}

uint64_t Hash(const std::string& text) {
  uint64_t hash = 0;
  for (char c : text) hash = hash * 131 + static_cast<unsigned char>(c);
  return hash;
}

}  // namespace

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 6200);
  uint64_t sum = 0;
  for (long i = 0; i < scale; ++i) {
    std::vector<std::string> words;
    for (unsigned j = 0; j < 1000; ++j) {
      words.push_back(Spell(static_cast<unsigned>(i) * 7919u + j * 37u));
    }
    const std::string text = Join(words, ' ');
    words = Split(text, ' ');
    std::sort(words.begin(), words.end());
    sum += Hash(text) ^ Hash(words[words.size() / 2]);
    for (size_t at = text.find("seven_s"); at != std::string::npos;
         at = text.find("seven_s", at + 1))
      sum += at;
  }
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
