// What ranks whose collective ran out of time tell each other through the store.

#include <torch/csrc/distributed/c10d/failure_notes.h>
#include <torch/csrc/distributed/c10d/format.h>

namespace c10d {

std::string failure_key(int rank) { return format("failed/{}", rank); }

std::string compare_failures(Store& store, int rank, int size, const std::string& own,
                             Milliseconds limit) {
  // Ranks run out of time one after the other: those that are late have this long.
  constexpr Milliseconds kExplanationTime(1500);
  auto deadline = Clock::now() + std::min(kExplanationTime, limit);
  ShortReplies short_replies(store);
  store.set(failure_key(rank), own);
  store.set(kAnyFailure, "1");
  std::string reason;
  std::vector<int> silent;
  for (int i = 0; i < size; ++i) {
    if (i == rank) continue;
    auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
    try {
      store.wait({failure_key(i)}, std::max(left, Milliseconds(1)));
    } catch (const DistStoreError&) {
      silent.push_back(i);
      continue;
    }
    std::string other = store.get(failure_key(i));
    if (other != own) reason += format("; rank {} was in {}", i, other);
  }
  if (!silent.empty())
    reason +=
        format("; no answer from rank{} {}", silent.size() > 1 ? "s" : "", join(silent, ", "));
  return reason;
}

}  // namespace c10d
