// The report of a fatal signal.
//
// Note [Crash report]
// A crashed process may hold any lock, including malloc's. So the handler itself does only what is
// safe in a signal handler, and a forked child does the rest (symbols, argument shapes). If the
// child crashes or hangs in turn, the handler gives up on it after some seconds and writes bare
// addresses.

#include <ATen/core/CrashReport.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/dispatch/KernelOverrides.h>
#include <c10/util/Backtrace.h>
#include <c10/util/StringUtil.h>

// Unlike fork(), takes no lock. Available from glibc 2.34 on.
extern "C" pid_t _Fork() __attribute__((weak));

namespace at {

namespace {

struct Signal {
  int number;
  const char* name;
  struct sigaction before;
  bool installed;
};
Signal g_signals[] = {{SIGSEGV, "SIGSEGV", {}, false},
                      {SIGBUS, "SIGBUS", {}, false},
                      {SIGILL, "SIGILL", {}, false},
                      {SIGFPE, "SIGFPE", {}, false},
                      {SIGABRT, "SIGABRT", {}, false}};
void (*g_python_stack)(int fd) = nullptr;
std::atomic<pid_t> g_reporter{0};

constexpr unsigned kPatience = 10;  // seconds for symbols
constexpr int kMaxFrames = 64, kMaxRunning = 16;

// --- running operators --------------------------------------------------------------------------

__thread const ObservedCall* t_running[kMaxRunning];
__thread int t_running_count = 0;

const CallObserver kNoteRunning{[](ObservedCall& call) {
  if (call.depth < kMaxRunning) t_running[call.depth] = &call;
  t_running_count = call.depth + 1;
}, [](ObservedCall& call) { t_running_count = call.depth; }};

}  // namespace

std::string running_operator() {
  const int depth = std::min(t_running_count, kMaxRunning);
  if (!(g_call_observers & kCrashObserver) || depth == 0) return "";
  const OperatorEntry& op = t_running[depth - 1]->op;
  return c10::str(op.name, *op.overload ? "." : "", op.overload);
}

namespace {

// --- writing without malloc ---------------------------------------------------------------------

void write_text(const char* text) {
  ssize_t ignored = ::write(2, text, std::strlen(text));
  (void)ignored;
}
void write_number(uint64_t v, unsigned base) {
  char digits[24];
  char* at = digits + sizeof digits - 1;
  *at = 0;
  do *--at = "0123456789abcdef"[v % base];
  while (v /= base);
  if (base == 16) write_text("0x");
  write_text(at);
}

void write_name(const OperatorEntry& op) {
  write_text(op.name);
  if (*op.overload) write_text(".");
  write_text(op.overload);
}

void write_addresses(void* const* frames, int count) {
  write_text("C++ stack as addresses, innermost call first:\n");
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    write_text("  ");
    if (dladdr(frames[i], &info) && info.dli_fname) {
      write_text(info.dli_fname);
      write_text(" + ");
      write_number(
          reinterpret_cast<uintptr_t>(frames[i]) - reinterpret_cast<uintptr_t>(info.dli_fbase), 16);
    } else {
      write_number(reinterpret_cast<uintptr_t>(frames[i]), 16);
    }
    write_text("\n");
  }
}

// --- the child ----------------------------------------------------------------------------------

// The operator of a function in at::_ops.
const OperatorEntry* operator_called_at(const void* function) {
  for (int i = 0; i < kNumOperatorTables; ++i) {
    for (const OperatorEntry* op : *kOperatorTables[i]) {
      if (op->call == function) return op;
    }
  }
  return nullptr;
}

void describe_operators(void* const* frames, int count) {
  if (g_call_observers & kCrashObserver) {
    for (int d = std::min(t_running_count, kMaxRunning); d-- > 0;) {
      const ObservedCall& call = *t_running[d];
      write_text("Running operator: ");
      write_name(call.op);
      std::string arguments = call.arguments ? describe_arguments(call.arguments, call.count)
                                             : "...";  // boxed calls have no arguments to show
      write_text(
          c10::str("(", arguments, "), key ", toString(call.keys.highestPriorityTypeId()), "\n")
              .c_str());
    }
    return;
  }
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    const OperatorEntry* op = dladdr(static_cast<char*>(frames[i]) - 1, &info)
                                  ? operator_called_at(info.dli_saddr)
                                  : nullptr;
    if (!op) continue;
    write_text("Running operator, by the C++ stack: ");
    write_name(*op);
    write_text(" (set TORCH_CRASH_REPORT=arguments to see its arguments)\n");
  }
}

[[noreturn]] void describe_in_child(void* const* frames, int count) {
  for (const Signal& s : g_signals) ::signal(s.number, SIG_DFL);
  ::signal(SIGALRM, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::alarm(kPatience);
  describe_operators(frames, count);
  write_text(c10::symbolize_frames(std::vector<void*>(frames, frames + count)).c_str());
  write_text("\n");
  ::_exit(0);
}

bool described(void* const* frames, int count) {
  pid_t child = _Fork ? _Fork() : ::fork();
  if (child < 0) return false;
  if (child == 0) describe_in_child(frames, count);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// --- the handler --------------------------------------------------------------------------------

void* struck_at(const ucontext_t* context) {
#if defined(__x86_64__)
  return reinterpret_cast<void*>(context->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(context->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

void report(const Signal& s, const siginfo_t* info, const ucontext_t* context) {
  write_text("\ntorch: fatal signal ");
  write_text(s.name);
  if (s.number != SIGABRT && info->si_code > 0) {
    write_text(" at address ");
    write_number(reinterpret_cast<uintptr_t>(info->si_addr), 16);
  }
  write_text(", process ");
  write_number(static_cast<uint64_t>(::getpid()), 10);
  write_text(", thread ");
  write_number(static_cast<uint64_t>(::syscall(SYS_gettid)), 10);
  write_text("\n");
  if (g_python_stack) g_python_stack(2);
  void* frames[kMaxFrames];
  int count = ::backtrace(frames, kMaxFrames);
  // The stack begins with this handler's own frames; skip to the frame where the signal struck.
  void** from = std::find(frames, frames + count, struck_at(context));
  if (from == frames + count) from = frames;
  else
    *from = static_cast<char*>(*from) +
            1;  // no return address: symbolize_frames looks one byte before those
  count -= static_cast<int>(from - frames);
  if (!described(from, count)) {
    for (int d = std::min(t_running_count, kMaxRunning); d-- > 0;) {
      write_text("Running operator: ");
      write_name(t_running[d]->op);
      write_text("\n");
    }
    write_addresses(from, count);
  }
}

void on_signal(int number, siginfo_t* info, void* context) {
  int saved = errno;
  Signal* s = g_signals;
  while (s->number != number) ++s;
  pid_t self = static_cast<pid_t>(::syscall(SYS_gettid)), nobody = 0;
  if (g_reporter.compare_exchange_strong(nobody, self)) {
    report(*s, info, static_cast<const ucontext_t*>(context));
  } else if (nobody != self) {
    for (;;) ::pause();  // the reporting thread ends the process
  }
  // The previous disposition decides how the process ends. A fault recurs when its instruction runs
  // again; a signal that was sent is sent again, to arrive when this handler returns.
  for (Signal& each : g_signals) {
    if (each.installed) ::sigaction(each.number, &each.before, nullptr);
  }
  g_reporter = 0;
  if (info->si_code <= 0) ::syscall(SYS_tgkill, ::getpid(), self, number);
  errno = saved;
}

bool same_object(const void* a, const void* b) {
  Dl_info x{}, y{};
  return a && b && dladdr(a, &x) && dladdr(b, &y) && x.dli_fbase == y.dli_fbase;
}

// A stack overflow leaves the handler no room on the thread's own stack.
alignas(64) char g_stack[256 << 10];

void set_handler_stack() {
  stack_t now{};
  if (::sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
  stack_t stack{};
  stack.ss_sp = g_stack;
  stack.ss_size = sizeof g_stack;
  ::sigaltstack(&stack, nullptr);
}

}  // namespace

void observe_for_crash_report(bool on) {
  set_call_observer(kCrashObserver, on ? &kNoteRunning : nullptr);
}

void install_crash_report(void (*python_stack)(int fd), const void* interpreter) {
  g_python_stack = python_stack;
  set_handler_stack();
  for (Signal& s : g_signals) {
    if (s.installed || ::sigaction(s.number, nullptr, &s.before) != 0) continue;
    bool plain = !(s.before.sa_flags & SA_SIGINFO);
    const void* handler = plain ? reinterpret_cast<const void*>(s.before.sa_handler)
                                : reinterpret_cast<const void*>(s.before.sa_sigaction);
    bool by_default = plain && s.before.sa_handler == SIG_DFL;
    bool ignored = plain && s.before.sa_handler == SIG_IGN;
    if (!by_default && (ignored || !same_object(handler, interpreter))) continue;
    struct sigaction action{};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    s.installed = ::sigaction(s.number, &action, nullptr) == 0;
  }
}

}  // namespace at
