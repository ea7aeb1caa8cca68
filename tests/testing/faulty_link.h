// A link between a client and a server on this machine's loopback that takes its time, as a distant
// network does, or fails: it forwards a TCP port. For tests.
//
// Thread-safe.

#ifndef FIRSTCALL_TESTS_TESTING_FAULTY_LINK_H_
#define FIRSTCALL_TESTS_TESTING_FAULTY_LINK_H_

#include <cstdint>
#include <list>
#include <memory>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace firstcall {

class FaultyLink {
 public:
  enum class Fault {
    kNone,
    kClose,   // Connections end.
    kHang,    // Nothing goes on.
    kSlow,    // A byte goes on every 10 milliseconds.
    kDamage,  // One byte is another one.
  };
  struct Plan {
    absl::Duration round_trip = absl::ZeroDuration();
    Fault fault = Fault::kNone;
    // The fault happens when so many bytes have come from the server, on all connections together.
    uint64_t fault_after = 0;
  };

  // Forwards connections to `port` of the loopback.
  explicit FaultyLink(int port);
  // Ends all connections.
  ~FaultyLink();
  FaultyLink(const FaultyLink&) = delete;
  FaultyLink& operator=(const FaultyLink&) = delete;

  // The port that clients connect to.
  int port() const { return port_; }

  // Replaces the plan, ends the connections that there are, and counts bytes from zero again.
  void Use(Plan plan) ABSL_LOCKS_EXCLUDED(mutex_);

  // How many bytes have come from the server since Use.
  uint64_t bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Connection;
  struct Direction;

  void Accept() ABSL_LOCKS_EXCLUDED(mutex_);
  // Reads from one side until it ends; another thread writes what has been read when it is due.
  void Read(std::shared_ptr<Connection> connection, Direction& direction)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Write(std::shared_ptr<Connection> connection, Direction& direction)
      ABSL_LOCKS_EXCLUDED(mutex_);

  const int server_port_;
  int listener_ = -1;
  int port_ = 0;
  std::thread acceptor_;
  mutable absl::Mutex mutex_;
  Plan plan_ ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool has_failed_ ABSL_GUARDED_BY(mutex_) = false;
  std::list<std::weak_ptr<Connection>> connections_ ABSL_GUARDED_BY(mutex_);
  int threads_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_FAULTY_LINK_H_
