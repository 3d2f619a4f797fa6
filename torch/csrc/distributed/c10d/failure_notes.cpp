// What ranks whose collective failed tell each other through the store.

#include <torch/csrc/distributed/c10d/failure_notes.h>
#include <torch/csrc/distributed/c10d/format.h>

namespace c10d {

namespace {

// Ranks run out of time one after the other: those that are late have this long.
constexpr Milliseconds kExplanationTime(1500);

const std::string kCause = "failed/cause";

// The value of a key; empty if it is not there in time, or the store is not.
std::string value_until(Store& store, const std::string& key, Clock::time_point deadline) {
  try {
    store.wait({key}, left_until(deadline));
    return store.get(key);
  } catch (const DistError&) {
    return "";
  }
}

}  // namespace

std::string failure_key(int rank) { return format("failed/{}", rank); }

void leave_note(Store& store, int rank, const std::string& note) {
  store.set(failure_key(rank), note);
  store.set(kAnyFailure, "1");
}

std::string read_note(Store& store, int rank, Clock::time_point deadline) {
  return value_until(store, failure_key(rank), deadline);
}

void tell_cause(Store& store, const std::string& cause) { store.compare_set(kCause, "", cause); }

std::string read_cause(Store& store) {
  constexpr Milliseconds kMargin(500);
  return value_until(store, kCause, Clock::now() + kExplanationTime + kMargin);
}

std::string compare_failures(Store& store, int rank, int size, const std::string& own,
                             Milliseconds limit) {
  auto deadline = Clock::now() + std::min(kExplanationTime, limit);
  ShortReplies short_replies(store);
  leave_note(store, rank, own);
  std::string reason, lost;
  std::vector<int> late, silent;
  const auto read = [&](int i) {
    std::string other = store.get(failure_key(i));
    if (other != own) reason += format("; rank {} was in {}", i, other);
  };
  // First what is there: the store may end with the rank that has it, as soon as that one knows.
  for (int i = 0; i < size; ++i) {
    if (i == rank) continue;
    if (store.check({failure_key(i)})) read(i);
    else late.push_back(i);
  }
  const auto comes_in_time = [&](int i) {
    if (!lost.empty()) return false;
    try {
      store.wait({failure_key(i)}, left_until(deadline));
      read(i);
      return true;
    } catch (const DistStoreError&) {
    } catch (const DistNetworkError& e) {
      lost = format("; {}", e.what_without_backtrace());
    }
    return false;
  };
  for (int i : late) {
    if (!comes_in_time(i)) silent.push_back(i);
  }
  if (!silent.empty())
    reason +=
        format("; no answer from rank{} {}", silent.size() > 1 ? "s" : "", join(silent, ", "));
  if (lost.empty()) tell_cause(store, reason);
  return reason + lost;
}

}  // namespace c10d
