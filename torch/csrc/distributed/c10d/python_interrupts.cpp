// Ctrl-C for waits of torch.distributed.

#include <csignal>

#include <pthread.h>
#include <sys/eventfd.h>
#include <torch/csrc/distributed/c10d/interrupts.h>
#include <torch/csrc/distributed/c10d/python_c10d.h>
#include <unistd.h>

#include <thread>

namespace c10d {
namespace {

// Note [Ctrl-C in a collective]
// Python runs handlers of signals on its main thread, between two instructions. A wait of our own
// looks ten times a second whether there is one to run. A wait inside an engine cannot: there our
// handler, which runs before Python's, wakes a thread, which stops the engine. It does so only
// where Python's handler is the one that raises KeyboardInterrupt: others may just take a note and
// let the program go on.
pthread_t main_thread;
std::mutex guard_mutex;
InterruptGuard* current = nullptr;  // of the main thread, which has one at a time
int wake_fd = -1;
struct sigaction previous{};

void check_signals() {
  if (!::pthread_equal(::pthread_self(), main_thread)) return;
  torch::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw torch::python_error();
}

void on_signal(int number) {
  int saved = errno;
  uint64_t one = 1;
  [[maybe_unused]] ssize_t n = ::write(wake_fd, &one, sizeof one);
  errno = saved;
  previous.sa_handler(number);
}

bool handler_raises() {
  torch::gil_scoped_acquire gil;
  py::module_ signal = py::module_::import("signal");
  return signal.attr("getsignal")(SIGINT).is(signal.attr("default_int_handler"));
}

void watch() {
  ::pthread_setname_np(::pthread_self(), "pg_interrupts");
  uint64_t count = 0;
  while (::read(wake_fd, &count, sizeof count) == sizeof count || errno == EINTR) {
    std::lock_guard<std::mutex> lock(guard_mutex);
    if (current && handler_raises()) current->stop();
  }
}

void start_watching() {
  static std::once_flag once;
  std::call_once(once, [] {
    wake_fd = ::eventfd(0, EFD_CLOEXEC);
    if (wake_fd < 0) return;
    sigset_t all, old;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &old);
    std::thread(watch).detach();
    ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  });
}

void enter(InterruptGuard* guard) {
  if (!::pthread_equal(::pthread_self(), main_thread) || PyGILState_Check()) return;
  struct sigaction now{};
  ::sigaction(SIGINT, nullptr, &now);
  bool ours = now.sa_handler == on_signal;
  if (!ours &&
      (now.sa_flags & SA_SIGINFO || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
    return;
  start_watching();
  if (wake_fd < 0) return;
  if (!ours) {
    previous = now;
    now.sa_handler = on_signal;
    ::sigaction(SIGINT, &now, nullptr);
  }
  std::lock_guard<std::mutex> lock(guard_mutex);
  current = guard;
}

void leave(InterruptGuard* guard) {
  if (!::pthread_equal(::pthread_self(), main_thread)) return;
  std::lock_guard<std::mutex> lock(guard_mutex);
  if (current == guard) current = nullptr;
}

}  // namespace

void bind_interrupts() {
  auto main = py::module_::import("threading").attr("main_thread")().attr("ident");
  main_thread = main.cast<unsigned long>();
  set_interrupt_hooks({check_signals, enter, leave});
}

}  // namespace c10d
