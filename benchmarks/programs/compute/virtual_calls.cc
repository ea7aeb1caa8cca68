// Virtual calls through data: a random expression over four kinds of nodes, evaluated for many
// values of its variable.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "scale.h"

namespace {

class Node {
 public:
  virtual ~Node() = default;
  virtual int64_t Value(int64_t x) const = 0;
};

using NodePointer = std::unique_ptr<Node>;

class Constant final : public Node {
 public:
  explicit Constant(int64_t value) : value_(value) {}
  int64_t Value(int64_t) const override { return value_; }

 private:
  int64_t value_;
};

class Variable final : public Node {
 public:
  int64_t Value(int64_t x) const override { return x; }
};

class Binary : public Node {
 public:
  Binary(NodePointer left, NodePointer right) : left_(std::move(left)), right_(std::move(right)) {}
  int64_t Value(int64_t x) const override { return Combine(left_->Value(x), right_->Value(x)); }

 protected:
  virtual int64_t Combine(int64_t left, int64_t right) const = 0;

 private:
  NodePointer left_, right_;
};

class Sum final : public Binary {
 public:
  using Binary::Binary;

 protected:
  int64_t Combine(int64_t left, int64_t right) const override { return left + right; }
};

class Mix final : public Binary {
 public:
  using Binary::Binary;

 protected:
  int64_t Combine(int64_t left, int64_t right) const override {
    return (left ^ (right >> 1)) & 0xffffff;
  }
};

class Random {
 public:
  uint32_t Next() { return state_ = state_ * 1664525u + 1013904223u; }

 private:
  uint32_t state_ = 7;
};

NodePointer MakeTree(int depth, Random& random) {
  if (depth == 0) {
    if ((random.Next() >> 30) == 0) return std::make_unique<Constant>(random.Next() & 1023);
    return std::make_unique<Variable>();
  }
  NodePointer left = MakeTree(depth - 1, random);
  NodePointer right = MakeTree(depth - 1, random);
  if ((random.Next() >> 31) == 0) return std::make_unique<Sum>(std::move(left), std::move(right));
  return std::make_unique<Mix>(std::move(left), std::move(right));
}

}  // namespace

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 80000);
  Random random;
  std::vector<NodePointer> trees;
  for (int depth = 4; depth < 12; ++depth) trees.push_back(MakeTree(depth, random));
  uint64_t sum = 0;
  for (long i = 0; i < scale; ++i) {
    for (const NodePointer& tree : trees) sum = sum * 31 + static_cast<uint64_t>(tree->Value(i));
  }
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
