#include "memory/arena_memory.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace firstcall {
namespace {

// The bytes of each segment of a small arena.
constexpr size_t kSmall = size_t{16} << 20;

void Add(const SegmentSizes& more, SegmentSizes& sizes) {
  sizes.code += more.code;
  sizes.read_only += more.read_only;
  sizes.data += more.data;
}

SegmentSizes Twice(const SegmentSizes& sizes) {
  return {2 * sizes.code, 2 * sizes.read_only, 2 * sizes.data};
}

// What one block may take, wherever it is put.
SegmentSizes SizesOf(const MemoryRequest& request) {
  const size_t size = request.size + request.alignment;
  switch (request.segment) {
    case Segment::kCode:
      return {size, 0, 0};
    case Segment::kReadOnly:
      return {0, size, 0};
    case Segment::kData:
      return {0, 0, size};
  }
  return {};
}

absl::Status NothingFreeNear(const MemoryRequest& request) {
  return absl::ResourceExhaustedError(
      absl::StrCat("code memory: ", request.size, " bytes for section '", request.section,
                   "': no addresses are free within reach of 0x", absl::Hex(request.near.value())));
}

}  // namespace

absl::StatusOr<std::shared_ptr<ArenaMemory>> ArenaMemory::Create(
    std::shared_ptr<PageMapper> mapper, const ArenaMemoryOptions& options) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Arena> first, Arena::Create(mapper, options.sizes));
  return std::shared_ptr<ArenaMemory>(
      new ArenaMemory(std::move(mapper), options, std::move(first)));
}

ArenaMemory::ArenaMemory(std::shared_ptr<PageMapper> mapper, const ArenaMemoryOptions& options,
                         std::unique_ptr<Arena> first)
    : mapper_(std::move(mapper)),
      options_(options),
      first_(first.get()),
      near_first_(first->begin()),
      last_(first.get()) {
  arenas_.push_back(std::move(first));
}

Arena* ArenaMemory::ArenaOf(ExecutorAddress address) const {
  if (first_->Contains(address)) return first_;
  absl::ReaderMutexLock lock(&mutex_);
  for (const auto& arena : arenas_) {
    if (arena->Contains(address)) return arena.get();
  }
  return nullptr;
}

// An arena with room for `least`.
absl::StatusOr<std::unique_ptr<Arena>> ArenaMemory::CreateArena(const ArenaSizes& sizes,
                                                                const SegmentSizes& least,
                                                                ExecutorAddress near) const {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Arena> arena, Arena::Create(mapper_, sizes, near));
  if (arena->HasRoomFor(least)) return arena;
  // Its code lies around a multiple of 4 GiB (memory/unwindable_code.h): of twice the size, one of
  // the sides is large enough.
  return Arena::Create(mapper_, {2 * sizes.code + 1, sizes.read_only, sizes.data}, near);
}

absl::StatusOr<Arena*> ArenaMemory::ArenaFor(const MemoryRequest& request) {
  if (!request.near.is_null()) {
    if (Arena* arena = ArenaOf(request.near)) return arena;
    return ArenaNear(request);
  }
  const SegmentSizes& object = request.object;
  const ArenaSizes& usual = options_.sizes;
  const bool is_large = object.code > usual.code / 2 || object.read_only > usual.read_only / 2 ||
                        object.data > usual.data / 2;
  absl::MutexLock lock(&mutex_);
  // The last part of the first arena is kept for objects that must be near the stubs.
  const auto is_fit = [&](const Arena& arena) {
    return arena.HasRoomFor(object) &&
           !(&arena == first_ && (arena.IsNearlyFull() || !arena.HasRoomFor(Twice(object))));
  };
  if (is_fit(*last_)) return last_;
  // The parts of a large object lie side by side, where they reach each other if any arena allows.
  FIRSTCALL_ASSIGN_OR_RETURN(
      std::unique_ptr<Arena> added,
      CreateArena(is_large ? ArenaSizes(object.code, object.read_only, object.data) : usual, object,
                  ExecutorAddress()));
  arenas_.push_back(std::move(added));
  if (is_large) {
    of_large_objects_.insert(arenas_.back().get());
    return arenas_.back().get();
  }
  last_ = arenas_.back().get();
  return last_;
}

// For an object of which some blocks were provided by another memory manager.
absl::StatusOr<Arena*> ArenaMemory::ArenaNear(const MemoryRequest& request) {
  const SegmentSizes& object = request.object;
  absl::MutexLock lock(&mutex_);
  for (Arena* arena : small_) {
    if (arena->IsWithinReachOf(request.near) && arena->HasRoomFor(object)) return arena;
  }
  const ArenaSizes sizes(std::max(kSmall, object.code), std::max(kSmall, object.read_only),
                         std::max(kSmall, object.data));
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Arena> added,
                             CreateArena(sizes, object, request.near));
  if (!added->IsWithinReachOf(request.near)) return NothingFreeNear(request);
  small_.push_back(added.get());
  arenas_.push_back(std::move(added));
  return small_.back();
}

// For a block that must be near the first arena, which has no room for it.
absl::StatusOr<Arena*> ArenaMemory::ArenaBesideFirst(const MemoryRequest& request) {
  const SegmentSizes least = SizesOf(request);
  absl::MutexLock lock(&mutex_);
  for (Arena* arena : beside_first_) {
    if (arena->HasRoomFor(least)) return arena;
  }
  // For blocks of this kind only: the less an arena has, the more of them are within reach.
  const auto size = [](size_t wanted) { return wanted == 0 ? 0 : std::max(kSmall, wanted); };
  const ArenaSizes sizes(size(least.code), size(least.read_only), size(least.data));
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Arena> added, CreateArena(sizes, least, near_first_));
  // Objects in any of these arenas refer to each other.
  if (!added->IsBeside(*first_)) return NothingFreeNear(request);
  for (const Arena* arena : beside_first_) {
    if (!added->IsBeside(*arena)) return NothingFreeNear(request);
  }
  beside_first_.push_back(added.get());
  arenas_.push_back(std::move(added));
  return beside_first_.back();
}

absl::StatusOr<MemoryBlock> ArenaMemory::Allocate(const MemoryRequest& request) {
  const size_t used = used_.fetch_add(request.size, std::memory_order_relaxed);
  absl::StatusOr<MemoryBlock> block = [&]() -> absl::StatusOr<MemoryBlock> {
    if (request.size > options_.budget || used > options_.budget - request.size) {
      return absl::ResourceExhaustedError(absl::StrCat("code memory: ", request.size,
                                                       " more bytes are over the budget (", used,
                                                       " of ", options_.budget, " bytes used)"));
    }
    FIRSTCALL_ASSIGN_OR_RETURN(Arena * arena, ArenaFor(request));
    absl::StatusOr<MemoryBlock> allocated =
        arena->Allocate(request.segment, request.size, request.alignment);
    if (allocated.ok() || arena != first_ || request.near.is_null() ||
        first_->HasRoomFor(SizesOf(request))) {
      return allocated;
    }
    FIRSTCALL_ASSIGN_OR_RETURN(arena, ArenaBesideFirst(request));
    return arena->Allocate(request.segment, request.size, request.alignment);
  }();
  if (!block.ok()) used_.fetch_sub(request.size, std::memory_order_relaxed);
  if (block.ok() && options_.observer) options_.observer(static_cast<int64_t>(request.size));
  return block;
}

absl::Status ArenaMemory::Finalize(absl::Span<const MemoryBlock> blocks) {
  // The blocks of one object lie in one arena, or in the first one and one beside it.
  while (!blocks.empty()) {
    Arena* arena = ArenaOf(blocks.front().run);
    if (arena == nullptr) return absl::InvalidArgumentError("code memory: a block of no arena");
    const auto others = std::find_if(blocks.begin(), blocks.end(), [&](const MemoryBlock& block) {
      return block.size > 0 && !arena->Contains(block.run);
    });
    const auto count = static_cast<size_t>(others - blocks.begin());
    FIRSTCALL_RETURN_IF_ERROR(arena->Finalize(blocks.first(count)));
    blocks.remove_prefix(count);
  }
  return absl::OkStatus();
}

void ArenaMemory::Free(absl::Span<const MemoryBlock> blocks) {
  for (const MemoryBlock& block : blocks) {
    if (Arena* arena = ArenaOf(block.run)) {
      // First, so that nobody hears of the same bytes' next use before.
      if (options_.observer) options_.observer(-static_cast<int64_t>(block.size));
      arena->Free(block);
      used_.fetch_sub(block.size, std::memory_order_relaxed);
      GiveBackIfUnused(arena);
    }
  }
}

void ArenaMemory::GiveBackIfUnused(const Arena* arena) {
  absl::MutexLock lock(&mutex_);
  if (!of_large_objects_.contains(arena) || arena->usage().used.total() != 0) return;
  of_large_objects_.erase(arena);
  arenas_.erase(std::find_if(arenas_.begin(), arenas_.end(),
                             [&](const auto& one) { return one.get() == arena; }));
}

MemoryUsage ArenaMemory::usage() const {
  absl::ReaderMutexLock lock(&mutex_);
  MemoryUsage total;
  total.arenas = arenas_.size();
  for (const auto& arena : arenas_) {
    const ArenaUsage usage = arena->usage();
    total.reserved += usage.reserved;
    Add(usage.committed, total.committed);
    Add(usage.used, total.used);
    total.mappings += usage.mappings;
  }
  return total;
}

}  // namespace firstcall
