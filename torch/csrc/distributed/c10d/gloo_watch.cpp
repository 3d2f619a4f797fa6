// Looks after collectives that take long: when another rank of the group has failed they cannot
// end.

#include <pthread.h>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.h>
#include <torch/csrc/distributed/c10d/failure_notes.h>

namespace c10d {
namespace {

constexpr Milliseconds kWatchInterval(1000);

struct Watched {
  std::mutex mutex;
  std::vector<std::weak_ptr<ProcessGroupGloo>> groups;
  bool has_thread = false;
};
// Never destroyed: the thread lives as long as the process.
Watched& watched() {
  static auto* all = new Watched();
  return *all;
}

void watch_all() {
  ::pthread_setname_np(::pthread_self(), "pg_watch");
  while (true) {
    std::this_thread::sleep_for(kWatchInterval);
    std::vector<std::shared_ptr<ProcessGroupGloo>> alive;
    {
      std::lock_guard<std::mutex> lock(watched().mutex);
      auto& groups = watched().groups;
      for (size_t i = 0; i < groups.size();) {
        if (auto group = groups[i].lock()) {
          alive.push_back(std::move(group));
          ++i;
        } else {
          groups.erase(groups.begin() + static_cast<int64_t>(i));
        }
      }
    }
    for (auto& group : alive) group->look_after();
  }
}

}  // namespace

void watch(const std::shared_ptr<ProcessGroupGloo>& group) {
  if (group->size() == 1) return;
  std::lock_guard<std::mutex> lock(watched().mutex);
  watched().groups.push_back(group);
  if (watched().has_thread) return;
  watched().has_thread = true;
  std::thread(watch_all).detach();
}

// Called about once a second.
void ProcessGroupGloo::look_after() {
  context_->transport().end_lost_waits();
  uint32_t ended = ended_, begun = begun_;
  bool is_stuck = begun != ended && begun == begun_before_ && ended == ended_before_;
  begun_before_ = begun;
  ended_before_ = ended;
  if (!is_stuck || aborted_) return;
  try {
    ShortReplies short_replies(*store_);
    if (!store_->check({kAnyFailure})) return;
  } catch (const std::exception&) {
    return;  // the collective itself says that its peers are gone, or runs out of time
  }
  // The others had a second to say so over their connections.
  if (ended_ == ended && begun_ == begun && others_failed_.exchange(true)) context_->abort();
}

}  // namespace c10d
