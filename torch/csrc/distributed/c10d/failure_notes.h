#pragma once
// What ranks whose collective failed tell each other through the store.
//
// Each rank leaves a note of what it was in. A rank that knows the cause, that is the ranks that
// ended or gave no answer, tells it; one that failed only because another rank did reads it.

#include <algorithm>
#include <string>

#include <torch/csrc/distributed/c10d/Store.h>

namespace c10d {

// The key under which a rank says what it was in when it failed.
std::string failure_key(int rank);

// The key that is there when a rank has failed.
inline const std::string kAnyFailure = "failed";

// While it lives, the server of a store has to answer soon. It may be cut off, as other ranks are.
class ShortReplies {
 public:
  explicit ShortReplies(Store& store) : store_(store), before_(store.reply_time()) {
    store_.set_reply_time(std::min(before_, Milliseconds(1500)));
  }
  ~ShortReplies() { store_.set_reply_time(before_); }
  ShortReplies(const ShortReplies&) = delete;
  ShortReplies& operator=(const ShortReplies&) = delete;

 private:
  Store& store_;
  Milliseconds before_;
};

// Leaves a note that this rank was in `own`, and reads those of the others for up to `limit`. Gives
// "; rank 1 was in broadcast; no answer from rank 2", or nothing if all were in the same. Tells it
// as the cause.
std::string compare_failures(Store& store, int rank, int size, const std::string& own,
                             Milliseconds limit);

// Leaves a note of this rank.
void leave_note(Store& store, int rank, const std::string& note);
// The note of a rank, waited for until `deadline`; empty if there is none.
std::string read_note(Store& store, int rank, Clock::time_point deadline);

// The first cause stays; an empty one, of a rank that found none, does not.
void tell_cause(Store& store, const std::string& cause);
// What another rank told, waited for while it may still compare notes; empty if none did.
std::string read_cause(Store& store);

}  // namespace c10d
