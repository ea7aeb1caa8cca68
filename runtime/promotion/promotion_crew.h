// The threads of a process that look for hot functions and optimize them. All promoters share them:
// hundreds of small engines cost one thread. The number of threads is the largest that any promoter
// asks for. They start when the first promoter joins, and end when the last one leaves.
//
// A thread alternates between looking for a promoter's work and doing it, one piece of each
// promoter's in turn. It is at work during both (see WorkScope).
//
// Thread-safe. Tested in tests/runtime/promotion_crew_test.cc and
// tests/api/promotion_lifetime_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_CREW_H_
#define FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_CREW_H_

#include <semaphore.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/own_thread.h"

namespace firstcall {

class PromotionCrew : public std::enable_shared_from_this<PromotionCrew> {
 public:
  // Limits of the pause between two looks at a promoter, which doubles as long as nothing is found.
  static constexpr absl::Duration kShortestPause = absl::Milliseconds(2);
  static constexpr absl::Duration kLongestPause = absl::Milliseconds(64);

  enum class Found { kSomething, kNothing, kMustWait };
  enum class Served {
    kOne,
    kNone,       // There was nothing to do.
    kAbandoned,  // The promoter has left without this thread, and may be destroyed already.
  };
  // What the threads do for a promoter. All threads call these functions, each while they are at
  // work.
  struct Tasks {
    // Looks for work.
    std::function<Found()> look;
    // Does one piece of work, and looks again; `attended` is as in UnattendedWork. If `serve`
    // throws, it counts as having done one piece, and must have given up everything that it held.
    std::function<Served(std::atomic<int>* attended)> serve;
  };

  // A promoter that has joined.
  class Member {
   public:
    // Whether the member's threads exist in this process; false in a forked child.
    bool IsOfThisProcess() const;

    // Tells one thread that there is work. Async-signal-safe.
    void Wake();

    // From now on no thread begins with a task. Does not wait for threads that have begun one.
    void End() { has_ended_ = true; }

    // The number of threads inside a task, except those with unattended work and the calling
    // thread.
    int serving() const;

    // To be called when the process exits: from now on nobody waits for the crew's threads, because
    // one of them may wait in a WorkScope's constructor until the process ends.
    void LeaveThreadsAlone();

   private:
    friend class PromotionCrew;
    class Serving;
    Member(Tasks tasks, std::shared_ptr<PromotionCrew> crew)
        : tasks_(std::move(tasks)), crew_(std::move(crew)) {}

    const Tasks tasks_;
    const std::shared_ptr<PromotionCrew> crew_;
    std::atomic<bool> is_woken_{true};
    std::atomic<bool> has_ended_{false};
    std::atomic<int> serving_{0};
    // Guarded by the crew's mutex.
    absl::Duration pause_ = kShortestPause;
    absl::Duration next_look_;
  };

  // Makes a promoter a member of this process's crew, which then has at least `count` threads, or
  // as many as the system allows. Null if the system allows none. The caller is at work. If the
  // member is still of this process, it must leave (Leave) before it is destroyed.
  static std::shared_ptr<Member> Join(size_t count, Tasks tasks);

  // Blocks until no other thread is in a task of the member. After UnattendedWork::kPatience, calls
  // `abandon` for each thread that is still in a task. If `abandon` returns true, the thread is
  // left behind, and must not use the member. The member must be of this process.
  static void Leave(const std::shared_ptr<Member>& member,
                    absl::FunctionRef<bool(const OwnThread& thread)> abandon);

  ~PromotionCrew() { sem_destroy(&work_); }
  PromotionCrew(const PromotionCrew&) = delete;
  PromotionCrew& operator=(const PromotionCrew&) = delete;

 private:
  struct Worker;
  struct OfProcess;

  PromotionCrew();
  static OfProcess& Current();
  void StartThreads() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remove(const Member& member, absl::FunctionRef<bool(const OwnThread& thread)> abandon)
      ABSL_LOCKS_EXCLUDED(mutex_);

  void Work(Worker& worker) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns false when the crew has ended.
  bool WaitForWork() ABSL_LOCKS_EXCLUDED(mutex_);
  // The members whose work is to be looked for now.
  std::vector<std::shared_ptr<Member>> TakeDue() ABSL_LOCKS_EXCLUDED(mutex_);
  // These return false and kNone if the member leaves.
  bool LookFor(Member& member, Worker& worker) ABSL_LOCKS_EXCLUDED(mutex_);
  Served Serve(Member& member, Worker& worker) ABSL_LOCKS_EXCLUDED(mutex_);
  // Notes that the worker serves the member. From now on, the member waits for the worker before it
  // leaves. Returns false if the member leaves.
  bool Begin(const Member& member, Worker& worker) ABSL_LOCKS_EXCLUDED(mutex_);
  void Finish(Worker& worker) ABSL_LOCKS_EXCLUDED(mutex_);

  const uint64_t owner_;  // Of its threads.
  sem_t work_;
  absl::Mutex mutex_;
  std::vector<std::shared_ptr<Member>> members_ ABSL_GUARDED_BY(mutex_);
  size_t wanted_threads_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::shared_ptr<Worker>> workers_ ABSL_GUARDED_BY(mutex_);
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_left_alone_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_CREW_H_
