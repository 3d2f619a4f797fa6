// Runs a grid: blocks one after the other, the threads of a block as fibers that switch where they
// wait for each other. Threads that never wait run one after the other on one fiber.

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>

#include "device.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace torch_emulated_cuda {

Position position;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr size_t kStack = 512 << 10;
#else
constexpr size_t kStack = 128 << 10;
#endif

struct Failure : std::runtime_error {
  cudaError_t code;
  Failure(cudaError_t code, const std::string& text) : std::runtime_error(text), code(code) {}
};

enum class State { idle, running, ready, at_barrier, at_exchange };

// A fiber, and the thread of the block that it runs.
struct Worker {
  boost::context::fiber context;
  State state = State::idle;
  unsigned thread = 0;
  // Of an exchange: the mask, and where this lane receives the values.
  unsigned mask = 0;
  void* all = nullptr;
  size_t size = 0;
  alignas(16) char value[64];
};

// The fiber of the scheduler, while a worker runs.
boost::context::fiber g_scheduler;
#if defined(__SANITIZE_ADDRESS__)
const void* g_scheduler_stack = nullptr;
size_t g_scheduler_size = 0;
#endif

struct Block {
  const std::function<void()>* thread = nullptr;
  unsigned size = 0, next = 0, live = 0;
  std::vector<unsigned> order;  // in which threads start
  std::vector<char> shared;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<bool> returned;
  Worker* running = nullptr;
  std::string failure;
  cudaError_t code = cudaSuccess;
};
Block& block() {
  static auto* one = new Block();
  return *one;
}

void set_thread(unsigned k) {
  const dim3& d = position.block_dim;
  position.thread = {k % d.x, k / d.x % d.y, k / (d.x * d.y)};
}

void run_threads() {
  Block& b = block();
  Worker& w = *b.running;
  while (b.next < b.size && b.code == cudaSuccess) {
    w.thread = b.order[b.next++];
    set_thread(w.thread);
    (*b.thread)();
    b.returned[w.thread] = true;
    --b.live;
  }
}

// What a fiber does for its whole life: the threads of one block after the other.
boost::context::fiber serve(boost::context::fiber&& scheduler) {
  g_scheduler = std::move(scheduler);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &g_scheduler_stack, &g_scheduler_size);
#endif
  while (true) {
    Worker& w = *block().running;
    try {
      run_threads();
    } catch (const Failure& e) {
      block().failure = e.what();
      block().code = e.code;
    }
    w.state = State::idle;
#if defined(__SANITIZE_ADDRESS__)
    void* fake;
    __sanitizer_start_switch_fiber(&fake, g_scheduler_stack, g_scheduler_size);
#endif
    g_scheduler = std::move(g_scheduler).resume();
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake, &g_scheduler_stack, &g_scheduler_size);
#endif
  }
}

struct Stack {
  boost::context::fixedsize_stack inner{kStack};
  const void** bottom;
  boost::context::stack_context allocate() {
    auto context = inner.allocate();
    *bottom = static_cast<char*>(context.sp) - context.size;
    return context;
  }
  void deallocate(boost::context::stack_context& context) { inner.deallocate(context); }
};

std::unique_ptr<Worker> make_worker(const void** bottom) {
  auto worker = std::make_unique<Worker>();
  worker->context = boost::context::fiber(std::allocator_arg, Stack{{kStack}, bottom}, serve);
  return worker;
}

// Lets a worker run until it waits or has nothing left to do.
void resume(Worker& w, const void* bottom) {
  Block& b = block();
  b.running = &w;
  if (w.state != State::idle) set_thread(w.thread);
  w.state = State::running;
#if defined(__SANITIZE_ADDRESS__)
  void* fake;
  __sanitizer_start_switch_fiber(&fake, bottom, kStack);
#else
  (void)bottom;
#endif
  w.context = std::move(w.context).resume();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

// From within a thread: back to the scheduler, until this worker is ready.
void wait(State state) {
  Block& b = block();
  Worker& w = *b.running;
  w.state = state;
#if defined(__SANITIZE_ADDRESS__)
  void* fake;
  __sanitizer_start_switch_fiber(&fake, g_scheduler_stack, g_scheduler_size);
#endif
  g_scheduler = std::move(g_scheduler).resume();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, &g_scheduler_stack, &g_scheduler_size);
#endif
  if (block().code != cudaSuccess) throw Failure(block().code, block().failure);
}

// Lanes whose whole mask has arrived get each other's values.
bool release_warps() {
  Block& b = block();
  bool released = false;
  const unsigned warps = (b.size + 31) / 32;
  std::vector<Worker*> lanes(32);
  for (unsigned warp = 0; warp < warps; ++warp) {
    std::fill(lanes.begin(), lanes.end(), nullptr);
    for (auto& w : b.workers) {
      if (w->state == State::at_exchange && w->thread / 32 == warp) lanes[w->thread % 32] = w.get();
    }
    for (Worker* first : lanes) {
      if (!first || first->state != State::at_exchange) continue;
      unsigned mask = first->mask, arrived = 0, there = 0;
      for (unsigned k = 0; k < 32; ++k) {
        if (warp * 32 + k < b.size) there |= 1u << k;
        if (lanes[k] && lanes[k]->state == State::at_exchange && lanes[k]->mask == mask)
          arrived |= 1u << k;
      }
      if (arrived != (mask & there)) continue;
      for (unsigned k = 0; k < 32; ++k) {
        if (!(arrived >> k & 1)) continue;
        for (unsigned from = 0; from < 32; ++from) {
          // A lane outside of the mask has no value: the own one stands in, as on many GPUs.
          const Worker& source = arrived >> from & 1 ? *lanes[from] : *lanes[k];
          std::memcpy(static_cast<char*>(lanes[k]->all) + from * source.size, source.value,
                      source.size);
        }
      }
      for (unsigned k = 0; k < 32; ++k)
        if (arrived >> k & 1) lanes[k]->state = State::ready;
      released = true;
    }
  }
  return released;
}

// Numbers below n: ascending, or in an order by chance if TORCH_CUDA_EMULATED_SHUFFLE is set, which
// finds barriers that are missing.
void set_order(std::vector<unsigned>& order, size_t n) {
  static const uint64_t seed = setting("TORCH_CUDA_EMULATED_SHUFFLE", 0);
  static std::mt19937_64 random(seed);
  if (order.size() != n) {
    order.resize(n);
    std::iota(order.begin(), order.end(), 0u);
  }
  if (seed != 0) std::shuffle(order.begin(), order.end(), random);
}

void run_block(std::vector<const void*>& stacks) {
  Block& b = block();
  set_order(b.order, b.size);
  static std::vector<unsigned> workers;
  auto run = [&](size_t k) { resume(*b.workers[k], stacks[k]); };
  while (true) {
    // Start all threads; a worker that waits leaves the rest to the next one.
    for (size_t k = 0; b.next < b.size && b.code == cudaSuccess; ++k) {
      if (k == b.workers.size()) {
        stacks.push_back(nullptr);
        b.workers.push_back(make_worker(&stacks.back()));
      }
      if (b.workers[k]->state == State::idle) run(k);
    }
    size_t at_barrier = 0;
    bool progress = false;
    set_order(workers, b.workers.size());
    for (unsigned k : workers) {
      if (b.workers[k]->state == State::ready || b.code != cudaSuccess) {
        if (b.workers[k]->state == State::idle) continue;
        run(k);
        progress = true;
      }
    }
    if (progress) continue;
    if (b.live == 0 || b.code != cudaSuccess) return;
    if (release_warps()) continue;
    for (auto& w : b.workers) at_barrier += w->state == State::at_barrier;
    if (at_barrier == b.live) {
      for (auto& w : b.workers)
        if (w->state == State::at_barrier) w->state = State::ready;
      continue;
    }
    b.code = cudaErrorLaunchFailure;
    b.failure =
        "threads of a block wait for others that never come: a barrier or a warp operation "
        "stands in a branch that not all of them take";
  }
}

}  // namespace

void barrier() {
  if (block().live > 1) wait(State::at_barrier);
}

void* dynamic_shared() { return block().shared.data(); }

unsigned active_lanes() {
  Block& b = block();
  const unsigned warp = b.running->thread / 32;
  unsigned mask = 0;
  // Threads that have begun, and have not returned. Others may join only at the next operation.
  for (unsigned k = 0; k < 32 && warp * 32 + k < b.size; ++k)
    mask |= b.returned[warp * 32 + k] ? 0 : 1u << k;
  return mask;
}

void exchange(unsigned mask, const void* value, size_t size, void* all) {
  Worker& w = *block().running;
  if (size > sizeof w.value)
    throw Failure(cudaErrorLaunchFailure, "a warp operation on a large type");
  std::memcpy(w.value, value, size);
  w.size = size;
  w.mask = mask;
  w.all = all;
  wait(State::at_exchange);
}

void fail_assertion(const char* condition, const char* file, int line, const char* function) {
  char text[512];
  const uint3 &b = position.block, &t = position.thread;
  std::snprintf(text, sizeof text,
                "%s:%d: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.", file,
                line, function, b.x, b.y, b.z, t.x, t.y, t.z, condition);
  std::fprintf(stderr, "%s\n", text);
  throw Failure(cudaErrorAssert, text);
}

void run_kernel(dim3 grid, dim3 size, size_t shared, const std::function<void()>& thread,
                const char* name) {
  static auto* stacks = new std::vector<const void*>();
  stacks->reserve(2048);  // workers hold addresses of its elements
  Block& b = block();
  b.shared.assign(shared, '\xff');
  b.thread = &thread;
  b.size = size.x * size.y * size.z;
  b.code = cudaSuccess;
  position.grid_dim = grid;
  position.block_dim = size;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        position.block = {x, y, z};
        b.next = 0;
        b.live = b.size;
        b.returned.assign(b.size, false);
        run_block(*stacks);
        if (b.code == cudaSuccess) continue;
        set_sticky_error(b.code, std::string(name ? name : "a kernel") + ": " + b.failure);
        return;
      }
    }
  }
}

}  // namespace torch_emulated_cuda
