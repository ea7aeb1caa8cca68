#include "memory/arena.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/forks.h"
#include "base/round_up.h"
#include "base/status.h"
#include "memory/debugger_presence.h"
#include "memory/in_process_mapper.h"
#include "memory/instruction_cache.h"
#include "memory/unwindable_code.h"

namespace firstcall {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// The reach of a direct call to either side: 32 bits on x86-64 (Intel SDM volume 2, CALL), 28 bits
// on AArch64 (Arm Architecture Reference Manual, C6.2, BL). Other known architectures reach no
// less.
#if defined(__x86_64__)
constexpr size_t kBranchReach = 2048 * kMiB;
#else
constexpr size_t kBranchReach = 128 * kMiB;
#endif

// Pages are initialized in steps, so that reserved addresses neither count against the system's
// commit limit nor become resident if the process locks its memory (mlockall). A step of shared
// pages costs seven system calls and two mappings, so these steps grow with what is in use.
constexpr size_t kFirstStep = 2 * kMiB;
constexpr size_t kLargestSharedStep = 16 * kMiB;
constexpr size_t kDataStep = 4 * kMiB;

// Smaller ranges of free pages are kept: giving them back costs a system call and later page
// faults, which is more than they are worth.
constexpr size_t kLeastToDiscard = 64 * 1024;

// A freed range of data from this size on is replaced by new pages when it is used again: filling
// it with zeros would make all of it resident.
constexpr size_t kLeastToRenew = 1 * kMiB;

// Mappings before the first allocation: the first steps of code and read-only data, each with a
// part that was not used yet, as they are seen and as they are written; what is reserved behind
// each of the four; the accessible data, and a page in front of everything.
constexpr size_t kMappings = 14;
// Of each further step of shared pages: as they are seen, with a part that was not used yet, and as
// they are written.
constexpr size_t kMappingsOfStep = 3;
// Further mappings of a forked child's shared pages: four as they are seen and two as they are
// written.
constexpr size_t kMappingsOfChild = 6;

}  // namespace

ArenaSizes ArenaSizes::Default() {
  return {std::min(256 * kMiB, kBranchReach), 256 * kMiB, 1024 * kMiB};
}

absl::StatusOr<ArenaSizes> ArenaSizes::Chosen(const SegmentSizes& sizes) {
  constexpr auto kMost = static_cast<size_t>(kReach);
  if (sizes.code > kMost || sizes.read_only > kMost || sizes.data > kMost ||
      sizes.code + sizes.read_only + sizes.data > kMost) {
    return absl::InvalidArgumentError(
        absl::StrCat("an arena of more than ", kMost >> 20, " MiB: code cannot reach all of it"));
  }
  return ArenaSizes(sizes.code, sizes.read_only, sizes.data);
}

absl::StatusOr<std::unique_ptr<Arena>> Arena::Create(std::shared_ptr<PageMapper> mapper,
                                                     const ArenaSizes& sizes,
                                                     ExecutorAddress near) {
  std::unique_ptr<Arena> arena(new Arena(std::move(mapper), sizes));
  FIRSTCALL_RETURN_IF_ERROR(arena->Map(near));
  return arena;
}

absl::StatusOr<std::unique_ptr<Arena>> Arena::Create(const ArenaSizes& sizes) {
  return Create(std::make_shared<InProcessMapper>(), sizes);
}

Arena::Arena(std::shared_ptr<PageMapper> mapper, const ArenaSizes& sizes)
    : mapper_(std::move(mapper)),
      page_size_(mapper_->page_size()),
      code_size_(RoundUp(sizes.code, page_size_)),
      owner_(ProcessIdentity()),
      forks_(ForkCount()) {
  // The segments in the order of parts_.
  const Protection protections[] = {Protection::kReadExecute, Protection::kRead,
                                    Protection::kReadWrite};
  const size_t wanted[] = {sizes.code, sizes.read_only, sizes.data};
  for (size_t i = 0; i < 3; ++i) {
    parts_[i].segment = static_cast<Segment>(i);
    parts_[i].protection = protections[i];
    parts_[i].offset = slab_.size;
    parts_[i].size = RoundUp(wanted[i], page_size_);
    slab_.size += parts_[i].size;
  }
}

Arena::~Arena() {
  if (!slab_.run.is_null()) (void)mapper_->Release(slab_);
}

absl::Status Arena::Map(ExecutorAddress near) {
  absl::MutexLock lock(&mutex_);
  FIRSTCALL_ASSIGN_OR_RETURN(slab_, mapper_->Reserve(slab_.size, near));
  mappings_ = kMappings;
  std::vector<SlabSegment> shared;
  for (Segment segment : {Segment::kCode, Segment::kReadOnly}) {
    Part& initialized = part(segment);
    initialized.committed = std::min(initialized.size, RoundUp(kFirstStep, page_size_));
    shared.push_back({{initialized.offset, initialized.committed}, initialized.protection});
  }
  FIRSTCALL_ASSIGN_OR_RETURN(std::vector<uint8_t*> written, mapper_->Initialize(slab_, shared));
  part(Segment::kCode).write = written[0];
  part(Segment::kReadOnly).write = written[1];
  return absl::OkStatus();
}

void Arena::NoticeForks() {
  if (ForkCount() == forks_) return;
  for (Segment segment : {Segment::kCode, Segment::kReadOnly}) {
    Part& kept = part(segment);
    kept.own_from = kept.end;
    kept.own.clear();
  }
  forks_ = ForkCount();
}

absl::Status Arena::LeaveParentsPages() {
  std::vector<SlabSegment> unused;
  for (Segment segment : {Segment::kCode, Segment::kReadOnly}) {
    const Part& left = part(segment);
    const size_t from = RoundUp(left.end, page_size_);
    unused.push_back({{left.offset + from, left.committed - from}, left.protection});
  }
  FIRSTCALL_RETURN_IF_ERROR(mapper_->Initialize(slab_, unused).status());
  for (Segment segment : {Segment::kCode, Segment::kReadOnly}) {
    Part& left = part(segment);
    left.end = left.own_from = RoundUp(left.end, page_size_);
    left.free.Clear();
    left.own.clear();
  }
  mappings_ += kMappingsOfChild;
  owner_ = ProcessIdentity();
  forks_ = ForkCount();
  return absl::OkStatus();
}

absl::Status Arena::Commit(Part& part, size_t end) {
  if (end <= part.committed) return absl::OkStatus();
  const bool is_data = part.segment == Segment::kData;
  size_t step = is_data ? kDataStep : kFirstStep;
  while (!is_data && step < std::min(part.committed, kLargestSharedStep)) step *= 2;
  const size_t committed = std::min(part.size, RoundUp(end, RoundUp(step, page_size_)));
  const SlabSegment added{{part.offset + part.committed, committed - part.committed},
                          part.protection};
  FIRSTCALL_ASSIGN_OR_RETURN(std::vector<uint8_t*> written, mapper_->Initialize(slab_, {added}));
  if (part.write == nullptr) part.write = written.front();
  part.committed = committed;
  if (!is_data) mappings_ += kMappingsOfStep;
  return absl::OkStatus();
}

void Arena::FillWithZeros(const Part& part, uint8_t* write, size_t address, size_t size) {
  const SlabRange pages = WholePagesIn({address, size});
  // An emulator may say that it has replaced pages, and keep them.
  const bool may_renew =
      part.segment == Segment::kData && size >= kLeastToRenew && NoticesRewrittenCode();
  if (!may_renew || !mapper_->Discard(slab_, {pages, part.protection}).ok()) {
    std::memset(write, 0, size);
    return;
  }
  const size_t first_page = (slab_.run + pages.offset).value() - address;
  std::memset(write, 0, first_page);
  std::memset(write + first_page + pages.size, 0, size - first_page - pages.size);
}

absl::StatusOr<MemoryBlock> Arena::Extend(Part& part, size_t size, size_t alignment) {
  const size_t base = AddressOf(part);
  size_t begin = RoundUp(base + part.end, alignment) - base;
  size_t unusable = SIZE_MAX;  // An offset.
  if (part.segment == Segment::kCode && HasUnwinderNull(ExecutorAddress(base + begin), size)) {
    unusable = NextUnwinderNull(ExecutorAddress(base + begin)).value() - base;
    begin = RoundUp(base + unusable + 1, alignment) - base;
  }
  if (begin > part.size || size > part.size - begin) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "code memory: ", size, " bytes do not fit in what is left of an arena segment (", part.end,
        " of ", part.size, " bytes used)"));
  }
  FIRSTCALL_RETURN_IF_ERROR(Commit(part, begin + size));
  // A smaller block may use the padding in front of this one.
  if (const size_t padding = std::min(begin, unusable); padding > part.end) {
    part.free.Add({base + part.end, padding - part.end});
  }
  if (unusable < begin - 1) part.free.Add({base + unusable + 1, begin - unusable - 1});
  part.end = begin + size;
  return MemoryBlock{part.write + begin, slab_.run + part.offset + begin, size, part.segment};
}

absl::StatusOr<MemoryBlock> Arena::Allocate(Segment segment, size_t size, size_t alignment) {
  absl::MutexLock lock(&mutex_);
  if (ProcessIdentity() != owner_) {
    FIRSTCALL_RETURN_IF_ERROR(LeaveParentsPages());
  } else {
    NoticeForks();
  }
  Part& from = part(segment);
  // An emulator may keep running the code that was there before, and a debugger may take its
  // breakpoints in that for those in the new code, and not set them again (GDB 13).
  const bool may_reuse =
      segment != Segment::kCode || (NoticesRewrittenCode() && !IsDebuggerListening());
  if (size > 0 && may_reuse) {
    if (std::optional<size_t> address = from.free.Take(size, alignment)) {
      from.used += size;
      if (*address - AddressOf(from) < from.own_from) from.own.insert(*address);
      if (segment == Segment::kCode) rewritten_code_.insert(*address);
      uint8_t* write = from.write + (*address - AddressOf(from));
      FillWithZeros(from, write, *address, size);
      return MemoryBlock{write, ExecutorAddress(*address), size, segment};
    }
  }
  FIRSTCALL_ASSIGN_OR_RETURN(MemoryBlock block, Extend(from, size, alignment));
  from.used += size;
  return block;
}

// The result's offset is relative to the slab.
SlabRange Arena::WholePagesIn(FreeRanges::Range range) const {
  const size_t begin = RoundUp(range.address, page_size_);
  const size_t end = (range.address + range.size) & ~(page_size_ - 1);
  return {begin - slab_.run.value(), end > begin ? end - begin : 0};
}

void Arena::Free(const MemoryBlock& block) {
  if (block.size == 0) return;
  absl::MutexLock lock(&mutex_);
  rewritten_code_.erase(block.run.value());
  Part& to = part(block.segment);
  to.used -= block.size;
  const size_t offset = block.run.value() - AddressOf(to);
  // A process must neither write to what another one may be running nor give it back.
  const bool is_child = ProcessIdentity() != owner_;
  if (!is_child) NoticeForks();
  const bool is_own = offset >= to.own_from || to.own.erase(block.run.value()) > 0;
  const bool is_shared = is_child || !is_own;
  if (is_shared && block.segment != Segment::kData) return;
  const SlabRange pages = WholePagesIn(to.free.Add({block.run.value(), block.size}));
  if (pages.size >= kLeastToDiscard) {
    // If this fails, the pages are merely kept.
    (void)mapper_->Discard(slab_, {pages, to.protection});
  }
}

absl::Status Arena::Finalize(absl::Span<const MemoryBlock> blocks) {
  bool had_code = false;
  Allocation allocation;
  {
    absl::MutexLock lock(&mutex_);
    for (const MemoryBlock& block : blocks) {
      if (block.size == 0) continue;
      had_code = had_code || rewritten_code_.contains(block.run.value());
      allocation.segments.push_back({{static_cast<size_t>(block.run - slab_.run), block.size},
                                     part(block.segment).protection});
    }
  }
  absl::Status status = mapper_->Finalize(slab_, allocation).status();
  if (!status.ok() || !had_code) return status;
  FIRSTCALL_RETURN_IF_ERROR(mapper_->SynchronizeInstructions());
  absl::MutexLock lock(&mutex_);
  for (const MemoryBlock& block : blocks) {
    if (block.size > 0) rewritten_code_.erase(block.run.value());
  }
  return absl::OkStatus();
}

bool Arena::Contains(ExecutorAddress address) const {
  const int64_t offset = address - slab_.run;
  return offset >= 0 && static_cast<uint64_t>(offset) < slab_.size;
}

bool Arena::IsWithinReachOf(ExecutorAddress address) const {
  const int64_t from_begin = address - slab_.run;
  const int64_t from_end = from_begin - static_cast<int64_t>(slab_.size);
  return std::max(std::abs(from_begin), std::abs(from_end)) < kReach;
}

bool Arena::IsBeside(const Arena& other) const {
  const Arena& lower = begin().value() < other.begin().value() ? *this : other;
  const Arena& upper = &lower == this ? other : *this;
  const int64_t distance = upper.begin() - lower.begin();
  if (distance + static_cast<int64_t>(upper.slab_.size) > kReach) return false;
  // The code segment comes first.
  return lower.code_size_ == 0 || upper.code_size_ == 0 ||
         distance + static_cast<int64_t>(upper.code_size_) <= static_cast<int64_t>(kBranchReach);
}

size_t Arena::LargestRoomIn(const Part& part) const {
  const ExecutorAddress end(AddressOf(part) + part.end);
  const size_t left = part.size - part.end;
  if (part.segment != Segment::kCode || !HasUnwinderNull(end, left)) return left;
  const auto before = static_cast<size_t>(NextUnwinderNull(end) - end);
  return std::max(before, left - before - 1);
}

bool Arena::HasRoomFor(const SegmentSizes& sizes) const {
  absl::MutexLock lock(&mutex_);
  const size_t wanted[] = {sizes.code, sizes.read_only, sizes.data};
  for (size_t i = 0; i < 3; ++i) {
    if (LargestRoomIn(parts_[i]) < wanted[i]) return false;
  }
  return true;
}

bool Arena::IsNearlyFull() const {
  absl::MutexLock lock(&mutex_);
  return std::any_of(std::begin(parts_), std::end(parts_), [](const Part& each) {
    return each.size - each.end < each.size / 16 && each.free.total() < each.size / 2;
  });
}

size_t Arena::CommittedPages(Segment segment) const {
  const Part& part = parts_[static_cast<size_t>(segment)];
  size_t committed = RoundUp(part.end, page_size_);
  part.free.ForEach([&](FreeRanges::Range range) {
    const SlabRange pages = WholePagesIn(range);
    if (pages.size >= kLeastToDiscard) committed -= pages.size;
  });
  return committed;
}

bool Arena::IsReachedByCalls(ExecutorAddress address) const {
  // The code segment comes first.
  const int64_t offset = address - slab_.run;
  return code_size_ <= kBranchReach && offset >= 0 && static_cast<uint64_t>(offset) < code_size_;
}

ArenaUsage Arena::usage() const {
  absl::MutexLock lock(&mutex_);
  ArenaUsage usage;
  usage.reserved = slab_.size;
  usage.mappings = mappings_;
  usage.committed = {CommittedPages(Segment::kCode), CommittedPages(Segment::kReadOnly),
                     CommittedPages(Segment::kData)};
  usage.used = {parts_[0].used, parts_[1].used, parts_[2].used};
  return usage;
}

}  // namespace firstcall
