// The containers and algorithms of the C++ library: layers of small functions to see through.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <vector>

#include "scale.h"

namespace {

struct Edge {
  uint32_t to;
  uint32_t length;
};

using Graph = std::vector<std::vector<Edge>>;

Graph MakeGraph(uint32_t nodes, uint32_t seed) {
  Graph graph(nodes);
  for (uint32_t i = 0; i < nodes; ++i) {
    for (int j = 0; j < 6; ++j) {
      seed = seed * 1664525u + 1013904223u;
      graph[i].push_back({(seed >> 8) % nodes, 1 + (seed >> 3) % 100});
    }
  }
  return graph;
}

// The length of the shortest way from node 0 to each other.
std::vector<uint64_t> ShortestWays(const Graph& graph) {
  using Entry = std::pair<uint64_t, uint32_t>;
  std::vector<uint64_t> lengths(graph.size(), UINT64_MAX);
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  lengths[0] = 0;
  queue.push({0, 0});
  while (!queue.empty()) {
    const auto [length, node] = queue.top();
    queue.pop();
    if (length != lengths[node]) continue;
    for (const Edge& edge : graph[node]) {
      if (length + edge.length >= lengths[edge.to]) continue;
      lengths[edge.to] = length + edge.length;
      queue.push({lengths[edge.to], edge.to});
    }
  }
  return lengths;
}

uint64_t CountAndOrder(const std::vector<uint64_t>& values) {
  std::unordered_map<uint64_t, int> counts;
  for (uint64_t value : values) ++counts[value % 97];
  std::map<int, std::vector<uint64_t>> by_count;
  for (const auto& [value, count] : counts) by_count[count].push_back(value);
  uint64_t sum = 0;
  for (auto& [count, members] : by_count) {
    std::sort(members.begin(), members.end(), std::greater<>());
    sum = std::accumulate(members.begin(), members.end(), sum * 31 + static_cast<uint64_t>(count),
                          [](uint64_t a, uint64_t b) { return a * 7 + b; });
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 4700);
  uint64_t sum = 0;
  for (long i = 0; i < scale; ++i) {
    const Graph graph = MakeGraph(4000, static_cast<uint32_t>(i));
    std::vector<uint64_t> lengths = ShortestWays(graph);
    sum += CountAndOrder(lengths);
    std::nth_element(lengths.begin(), lengths.begin() + 2000, lengths.end());
    sum = sum * 31 + lengths[2000];
  }
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
