// Tells a listener of calls and work.

#include "activities.h"

#include <functional>
#include <utility>

#include <c10/cuda/Launch.h>

namespace torch_emulated_cuda {
namespace {

std::atomic<Listener*> g_listener{nullptr};
std::atomic<uint32_t> g_calls{0};
thread_local uint32_t t_call = 0, t_replay = 0;
thread_local int t_depth = 0;
thread_local const void* t_kernel = nullptr;

void note_kernel(const void* kernel, const c10::cuda::LaunchShape&) { t_kernel = kernel; }

}  // namespace

void set_listener(Listener* listener) {
  g_listener = listener;
  c10::cuda::set_launch_observer(c10::cuda::LaunchListener::profiler,
                                 listener ? &note_kernel : nullptr);
}

Call::Call(const char* name) {
  Listener* listener = g_listener.load();
  if (t_depth++ > 0 || !listener) return;
  name_ = name;
  t_call = ++g_calls;
  start_ = listener->now();
}

Call::~Call() {
  --t_depth;
  if (!name_) return;
  const uint32_t correlation = std::exchange(t_call, 0);
  if (Listener* listener = g_listener.load())
    listener->on_call(name_, correlation, start_, listener->now());
}

uint32_t Call::correlation() { return t_call; }

std::function<void()> told(const Work& work, std::function<void()> run) {
  return [work, run = std::move(run)] {
    Listener* listener = g_listener.load();
    Work done = work;
    if (t_replay) done.correlation = t_replay;
    if (!listener || done.correlation == 0) return run();
    const uint64_t start = listener->now();
    run();
    listener->on_work(done, start, listener->now());
  };
}

Replay::Replay(uint32_t correlation) { t_replay = correlation; }
Replay::~Replay() { t_replay = 0; }

const void* take_kernel() { return std::exchange(t_kernel, nullptr); }

}  // namespace torch_emulated_cuda
