// Writes the modules that fuzzing starts from, as bitcode and as text:  write_corpus DIR

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "tests/fuzz/corpus.h"
#include "tests/testing/ir.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_corpus DIR\n";
    return 2;
  }
  const std::string directory = argv[1];
  std::filesystem::create_directories(directory);
  int number = 0;
  bool good = true;
  for (absl::string_view text : firstcall::testing::CorpusModules()) {
    const std::string stem = directory + "/" + std::to_string(number++);
    good &= (std::ofstream(stem + ".ll") << text).good();
    good &=
        (std::ofstream(stem + ".bc", std::ios::binary) << firstcall::ParseToBitcode(text)).good();
  }
  return good ? 0 : 1;
}
