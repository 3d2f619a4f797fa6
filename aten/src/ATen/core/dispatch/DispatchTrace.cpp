// TORCH_SHOW_DISPATCH_TRACE: one line for each dispatch, indented by depth.
//
//   [call] op=[aten::add.Tensor], key=[CPU]
//
// With TORCH_DISPATCH_TRACE_DETAILS=all
//
//   [call] op=[aten::add.Tensor], key=[CPU], kernel=[add_kernel at FILE:31], args=[float32[2], 1]
//   [return] op=[aten::add.Tensor], time=[1.3 us]
//
// A kernel that calls others through stubs (DispatchStub.h) has a line for each:
//
//   [call] op=[aten::native_layer_norm], key=[CPU], kernel=[at::native::native_layer_norm at
//   FILE:72]
//    [kernel] layer_norm_stub=[at::native::layer_norm_kernel at FILE:90]

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/DispatchTrace.h>

#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/core/dispatch/OperatorName.h>
#include <ATen/native/common/DispatchStub.h>
#include <c10/core/impl/BackendLibrary.h>
#include <c10/util/Backtrace.h>
#include <c10/util/Environment.h>
#include <c10/util/Exception.h>
#include <c10/util/ForkMutex.h>
#include <c10/util/Logging.h>

namespace at {

using namespace c10;

uint32_t g_call_observers = 0;

// --- observers ----------------------------------------------------------------------------------

static const CallObserver* g_observers[3];
static __thread int t_depth = 0;

int64_t observer_clock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void set_call_observer(uint32_t bit, const CallObserver* observer) {
  int slot = __builtin_ctz(bit);
  if (observer) g_observers[slot] = observer;  // kept when switched off: running calls still end
  uint32_t* flags = &g_call_observers;
  if (observer) __atomic_fetch_or(flags, bit, __ATOMIC_RELEASE);
  else __atomic_fetch_and(flags, ~bit, __ATOMIC_RELEASE);
}

ObservedCall::ObservedCall(const OperatorEntry& op, DispatchKeySet keys, const char* kind,
                           const ObservedArgument* arguments, int count)
    : op(op),
      keys(keys),
      kind(kind),
      arguments(arguments),
      count(count),
      depth(t_depth++),
      seen_by(0),
      started(0) {
  for (uint32_t left = g_call_observers; left; left &= left - 1) {
    int slot = __builtin_ctz(left);
    if (!g_observers[slot]) continue;
    seen_by |= 1u << slot;
    g_observers[slot]->enter(*this);
  }
}

ObservedCall::~ObservedCall() {
  --t_depth;
  for (uint32_t left = seen_by; left; left &= left - 1)
    g_observers[__builtin_ctz(left)]->leave(*this);
}

// --- descriptions of calls ----------------------------------------------------------------------

KernelPlace kernel_of(const OperatorEntry& op, DispatchKeySet keys) {
  void* kernel = op.table[slot_of(keys)];
  if (!kernel) kernel = find_kernel(op, keys).generated;
  if (!kernel) return {};
  const DispatchKey key = keys.highestPriorityTypeId();
  KernelPlace found;
  for (const KernelSource* s = op.sources; s && s->name; ++s) {
    if (s->key == key) found = {s->name, s->stub ? s->stub() : s->function};
  }
  if (!found.address) found.address = kernel;
  return found;
}

static std::string describe(const Tensor& t) {
  if (!t.defined()) return "None";
  std::string text = str(dtypeName(t.scalar_type()), "[");
  for (int64_t d = 0; d < t.dim(); ++d) text += str(d ? ", " : "", t.sizes()[d]);
  text += "]";
  if (!t.is_cpu()) text += str("@", t.device());
  return text;
}

template <typename List, typename F>
static std::string listed(const List& list, const F& f) {
  std::string text = "[";
  bool first = true;
  for (const auto& item : list) {
    text += str(first ? "" : ", ", f(item));
    first = false;
  }
  return text + "]";
}

std::string describe_arguments(const ObservedArgument* arguments, int count) {
  std::string text;
  auto as = [](const ObservedArgument& a, auto* type) -> const auto& {
    return *static_cast<decltype(type)>(a.value);
  };
  auto optional = [](const std::optional<Tensor>& t) {
    return t ? describe(*t) : std::string("None");
  };
  for (int i = 0; i < count; ++i) {
    const ObservedArgument& a = arguments[i];
    if (i) text += ", ";
    switch (a.kind) {
      case ObservedArgument::Tensor:
        text += describe(as(a, static_cast<const Tensor*>(nullptr)));
        break;
      case ObservedArgument::OptionalTensor:
        text += optional(as(a, static_cast<const std::optional<Tensor>*>(nullptr)));
        break;
      case ObservedArgument::TensorList:
        text += listed(as(a, static_cast<const TensorList*>(nullptr)), describe);
        break;
      case ObservedArgument::OptionalTensorList:
        text += listed(as(a, static_cast<const OptionalTensorList*>(nullptr)), optional);
        break;
      case ObservedArgument::IntList:
        text += str(as(a, static_cast<const IntArrayRef*>(nullptr)));
        break;
      case ObservedArgument::Int:
        text += str(as(a, static_cast<const int64_t*>(nullptr)));
        break;
      case ObservedArgument::Double:
        text += str(as(a, static_cast<const double*>(nullptr)));
        break;
      case ObservedArgument::Bool:
        text += as(a, static_cast<const bool*>(nullptr)) ? "True" : "False";
        break;
      case ObservedArgument::Scalar:
        text += str(as(a, static_cast<const Scalar*>(nullptr)));
        break;
      case ObservedArgument::ScalarType:
        text += dtypeName(as(a, static_cast<const ScalarType*>(nullptr)));
        break;
      case ObservedArgument::Other:
        text += "...";
        break;
    }
  }
  return text;
}

// --- the trace ----------------------------------------------------------------------------------

static std::atomic<uint32_t> g_details{0};
static std::atomic<bool> g_print{true}, g_keep{false};
static std::mutex g_records_mutex, g_locations_mutex;
static c10::HoldDuringFork g_records_hold(g_records_mutex), g_locations_hold(g_locations_mutex);
static std::vector<TraceRecord> g_records;

// "at::native::(anonymous namespace)::add_kernel(at::TensorIteratorBase&)" without the parameter
// list.
static std::string without_parameters(std::string function) {
  int depth = 0;
  for (size_t k = function.rfind(')') + 1; k-- > 0;) {
    depth += (function[k] == ')') - (function[k] == '(');
    if (depth == 0) {
      function.resize(k);
      break;
    }
  }
  return function;
}

// Reading line tables is slow; the answer for an address never changes.
const CodePlace& place_of_kernel(void* address) {
  std::lock_guard<std::mutex> lock(g_locations_mutex);
  static auto* known = new std::unordered_map<void*, CodePlace>;
  auto [at, inserted] = known->try_emplace(address);
  if (inserted) {
    at->second = place_of(address);
    at->second.function = without_parameters(std::move(at->second.function));
  }
  return at->second;
}

// Unbuffered: the line is complete even if the process dies in this very call.
static void write_line(const std::string& line) { write_to_log(line + "\n"); }

// The kernel printed with the latest call: its stub needs no line of its own.
static __thread const void* t_named_kernel = nullptr;

static void enter_trace(ObservedCall& call) {
  uint32_t details = g_details;
  bool boxed = !call.op.table[slot_of(call.keys)] && !find_kernel(call.op, call.keys).generated;
  TraceRecord r{str(call.kind, boxed ? "Boxed" : ""),
                full_name(call.op),
                toString(call.keys.highestPriorityTypeId()),
                call.depth,
                "",
                "",
                0,
                "",
                -1};
  if (details & kTraceKernel) {
    KernelPlace kernel = kernel_of(call.op, call.keys);
    t_named_kernel = kernel.address;
    if (kernel.address) {
      const CodePlace& place = place_of_kernel(kernel.address);
      r.kernel = !place.function.empty() ? place.function : kernel.name ? kernel.name : "";
      r.file = place.file;
      r.line = place.line;
    }
  }
  if (details & kTraceArguments) r.arguments = describe_arguments(call.arguments, call.count);
  if (g_print) {
    std::string line(static_cast<size_t>(call.depth), ' ');
    line += str("[", r.kind, "] op=[", r.name, "], key=[", r.key, "]");
    if (!r.kernel.empty())
      line += str(", kernel=[", r.kernel, r.line ? str(" at ", r.file, ":", r.line) : "", "]");
    if (details & kTraceArguments) line += str(", args=[", r.arguments, "]");
    write_line(line);
  }
  if (g_keep) {
    std::lock_guard<std::mutex> lock(g_records_mutex);
    g_records.push_back(std::move(r));
  }
  if (details & kTraceTime) call.started = observer_clock();
}

static void leave_trace(ObservedCall& call) {
  if (!call.started) return;
  double microseconds = static_cast<double>(observer_clock() - call.started) / 1e3;
  if (g_print) {
    write_line(std::string(static_cast<size_t>(call.depth), ' ') +
               str("[return] op=[", full_name(call.op), "], time=[", microseconds, " us]"));
  }
  if (!g_keep) return;
  std::lock_guard<std::mutex> lock(g_records_mutex);
  // The latest call at this depth without a time.
  for (size_t k = g_records.size(); k-- > 0;) {
    TraceRecord& r = g_records[k];
    if (r.depth == call.depth && r.microseconds < 0 && r.name == full_name(call.op)) {
      r.microseconds = microseconds;
      return;
    }
  }
}

void record_backend_slow(const char* what, const char* way) {
  if (g_print)
    write_line(std::string(static_cast<size_t>(t_depth), ' ') +
               str("[way] ", what, "=[", way, "]"));
  if (!g_keep) return;
  std::lock_guard<std::mutex> lock(g_records_mutex);
  g_records.push_back({"way", what, way, t_depth, "", "", 0, "", -1});
}

static void note_stub(const char* stub, const void* kernel) {
  if (kernel == t_named_kernel || t_depth == 0)
    return;  // already printed, or on a thread of the pool
  const CodePlace& place = place_of_kernel(const_cast<void*>(kernel));
  if (g_print) {
    write_line(std::string(static_cast<size_t>(t_depth), ' ') +
               str("[kernel] ", stub, "=[", place.function,
                   place.line ? str(" at ", place.file, ":", place.line) : "", "]"));
  }
  if (!g_keep) return;
  std::lock_guard<std::mutex> lock(g_records_mutex);
  g_records.push_back(
      {"kernel", stub, "", t_depth, place.function, place.file, place.line, "", -1});
}

void record_launch(const void* kernel, const std::string& shape) {
  const CodePlace& place = place_of_kernel(const_cast<void*>(kernel));
  if (g_print) {
    write_line(std::string(static_cast<size_t>(t_depth), ' ') +
               str("[launch] kernel=[", place.function,
                   place.line ? str(" at ", place.file, ":", place.line) : "", "], ", shape));
  }
  if (!g_keep) return;
  std::lock_guard<std::mutex> lock(g_records_mutex);
  g_records.push_back(
      {"launch", "", "", t_depth, place.function, place.file, place.line, shape, -1});
}

static const CallObserver kTrace{enter_trace, leave_trace};
static std::atomic<void (*)(bool)> g_watch_launches{nullptr};

static void watch_kernels() {
  bool watch = dispatch_trace_enabled() && (g_details & kTraceKernel);
  __atomic_store_n(&native::g_stub_observer, watch ? &note_stub : nullptr, __ATOMIC_RELEASE);
  if (const auto f = g_watch_launches.load()) f(watch);
}

void watch_launches_by(void (*watch)(bool on)) {
  g_watch_launches = watch;
  watch_kernels();
}

void set_dispatch_trace(bool on) {
  set_call_observer(kTraceObserver, on ? &kTrace : nullptr);
  watch_kernels();
}
bool dispatch_trace_enabled() { return g_call_observers & kTraceObserver; }
void set_dispatch_trace_details(uint32_t details) {
  g_details = details & kTraceAll;
  watch_kernels();
}
uint32_t dispatch_trace_details() { return g_details; }
void set_dispatch_trace_print(bool on) { g_print = on; }

void start_trace_records() {
  std::lock_guard<std::mutex> lock(g_records_mutex);
  g_records.clear();
  g_keep = true;
}

std::vector<TraceRecord> take_trace_records() {
  std::lock_guard<std::mutex> lock(g_records_mutex);
  g_keep = false;
  return std::move(g_records);
}

static const bool g_from_environment = [] {
  const unsigned details =
      env_choices("TORCH_DISPATCH_TRACE_DETAILS", {"kernel", "args", "time", "all"});
  const uint32_t each[] = {kTraceKernel, kTraceArguments, kTraceTime, kTraceAll};
  for (int k = 0; k < 4; ++k) {
    if (details & (1u << k)) g_details |= each[k];
  }
  if (env_flag("TORCH_SHOW_DISPATCH_TRACE")) set_dispatch_trace(true);
  return true;
}();

void report_missing_kernel(const OperatorEntry& op, DispatchKeySet keys) {
  DispatchKey key = keys.highestPriorityTypeId();
  if (key == DispatchKey::Undefined) {
    TORCH_CHECK_NOT_IMPLEMENTED(false, op.name,
                                ": no argument says on which device to run: there are no tensors ",
                                "among the arguments (or none that is defined)");
  }
  std::string known;
  for (int k = 1; k < kNumRuntimeKeys; ++k) {
    auto other = static_cast<DispatchKey>(k);
    if (is_per_backend(functionality_of(other)) && op.table[slot_of(other)] &&
        functionality_of(other) == Functionality::Dense &&
        (other != DispatchKey::CUDA || c10::impl::backend_library_is_loaded(c10::DeviceType::CUDA)))
      known += str(known.empty() ? "" : ", ", toString(other));
  }
  TORCH_CHECK_NOT_IMPLEMENTED(false, "Could not run '", full_name(op),
                              "' with arguments from the '", toString(key),
                              "' backend: it has no kernel there. It has kernels for: ", known);
  __builtin_unreachable();
}

}  // namespace at

// For a debugger, in a running process: `call torch_dispatch_trace(1)`.
extern "C" __attribute__((visibility("default"))) void torch_dispatch_trace(int on) {
  at::set_dispatch_trace(on != 0);
}
