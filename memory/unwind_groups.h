// Unwind tables for libgcc before version 13, which searches registrations one by one, so that the
// time of a throw is proportional to their number. Moreover, of the registrations whose code begins
// at or below an address, that libgcc searches only the last, so registrations must not interleave
// (unwind-dw2-fde.c, _Unwind_Find_FDE). Therefore tables are registered in groups by the address of
// their code: each group covers an aligned stretch of addresses. All stretches have the same size,
// which doubles when there are too many groups.
//
// To change a group is to register another one in its place and to withdraw the first. After a
// thread has found an entry, and has unlocked libgcc's mutex, it still reads the registration
// ("struct object") that it found the entry in. __deregister_frame frees a registration that
// __register_frame_table has allocated, so such a thread would read freed memory. So the memory of
// registrations is allocated here, and is kept for a time after they are withdrawn.
//
// Thread-compatible.

#ifndef FIRSTCALL_MEMORY_UNWIND_GROUPS_H_
#define FIRSTCALL_MEMORY_UNWIND_GROUPS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/types/span.h"
#include "memory/unwinder.h"

namespace firstcall {

class UnwindGroups : public Unwinder {
 public:
  // If there are more groups than this, they are merged.
  static constexpr size_t kMostGroups = 64;

  // A withdrawn registration is kept until this many others have been withdrawn after it, and for
  // this time at least. A thread reads it for some ten instructions after it has unlocked libgcc's
  // mutex, so even a thread that loses its processor there has left long before.
  static constexpr size_t kKeptRegistrations = 65536;  // 4 MiB.
  static constexpr std::chrono::seconds kKeptTime{60};

  // libgcc's functions (unwind-dw2-fde.h; there is no public header).
  struct Functions {
    void (*register_table)(void* tables, void* object);  // __register_frame_info_table
    void* (*deregister)(const void* tables);             // __deregister_frame_info
  };

  explicit UnwindGroups(const Functions& functions) : functions_(functions) {}
  ~UnwindGroups() override;

  // Takes time proportional to the number of tables in the group.
  void Register(const UnwindTable& table) override;
  // Takes time proportional to the number of tables in their groups.
  void Withdraw(absl::Span<const UnwindTable> tables) override;
  size_t registration_count() const override { return groups_.size(); }

 private:
  // What libgcc calls struct object: six words, of which nobody else knows the meaning.
  struct Object {
    void* words[8] = {};
  };
  struct Group {
    // The list that the unwinder is given: pointers to an empty table and to the tables, then null.
    std::vector<void*> list;
    std::unique_ptr<Object> object = std::make_unique<Object>();

    absl::Span<void* const> tables() const {
      return absl::MakeConstSpan(list).subspan(1, list.size() - 2);
    }
  };
  struct Withdrawn {
    std::unique_ptr<Object> object;
    std::chrono::steady_clock::time_point time;
  };

  static void KeepForGood(std::unique_ptr<Object> object);
  // The number of the stretch that contains `code`.
  uint64_t StretchOf(ExecutorAddress code) const { return code.value() >> stretch_bits_; }
  // Returns a group that the unwinder knows; null if there are no tables.
  std::unique_ptr<Group> Make(const std::vector<void*>& tables) const;
  // Withdraws a group from the unwinder. Null is no group.
  void Retire(std::unique_ptr<Group> group);
  void DoubleStretches();

  const Functions functions_;
  // Initially 64 KiB: some hundred small functions.
  int stretch_bits_ = 16;
  absl::btree_map<uint64_t, std::unique_ptr<Group>> groups_;  // By stretch; never null.
  std::deque<Withdrawn> withdrawn_;                           // The oldest first.
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_UNWIND_GROUPS_H_
