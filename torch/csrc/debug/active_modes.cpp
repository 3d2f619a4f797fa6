// What stands between a call and its kernel on this thread, as text: for gdb's torch-modes.

#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/dispatch/python_torch_dispatch.h>

#include <cstdarg>
#include <cstdio>

#include <ATen/autocast_mode.h>
#include <ATen/functorch/VmapLevels.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace torch {
namespace {

// Lines in a fixed buffer: the program may have stopped inside malloc.
struct Lines {
  char buffer[16 << 10];
  size_t size;

  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list args;
    va_start(args, format);
    const int n = std::vsnprintf(buffer + size, sizeof buffer - size, format, args);
    va_end(args);
    if (n > 0) size = std::min(size + static_cast<size_t>(n), sizeof buffer - 1);
  }
};

const char* name_of(at::functorch::Randomness randomness) {
  switch (randomness) {
    case at::functorch::Randomness::Error:
      return "error";
    case at::functorch::Randomness::Different:
      return "different";
    case at::functorch::Randomness::Same:
      return "same";
  }
  return "?";
}

// The innermost first: the order in which they see a call.
void write_dispatch_modes(Lines& lines) {
  const std::vector<DispatchMode>& modes = dispatch_modes();
  for (size_t i = modes.size(); i-- > 0;) {
    const DispatchMode& mode = modes[i];
    lines.add("dispatch mode %s%s\n", Py_TYPE(mode.object.get())->tp_name,
              mode.rank < kUserMode ? ", one of the library's" : "");
  }
}

void write_pre_dispatch_modes(Lines& lines) {
  const std::vector<DispatchMode>& modes = pre_dispatch_modes();
  for (size_t i = modes.size(); i-- > 0;)
    lines.add("pre-dispatch mode %s\n", Py_TYPE(modes[i].object.get())->tp_name);
}

void write_vmap_levels(Lines& lines) {
  for (int64_t level = at::functorch::current_level(); level > 0; --level) {
    const at::functorch::VmapLevel& vmap = at::functorch::vmap_level(level);
    lines.add("vmap level %ld: a batch of %ld, randomness=%s\n", static_cast<long>(level),
              static_cast<long>(vmap.batch_size), name_of(vmap.randomness));
  }
}

void write_keys(Lines& lines, const char* what, uint64_t bits) {
  bool any = false;
  for (int f = c10::kNumFunctionalities; f > 0; --f) {
    const auto functionality = static_cast<c10::Functionality>(f);
    if (!c10::DispatchKeySet(bits).has(functionality)) continue;
    const bool is_autograd = functionality == c10::Functionality::AutogradFunctionality;
    const char* name = is_autograd ? "Autograd" : c10::toString(c10::key_of(functionality));
    lines.add("%s%s", any ? ", " : what, name);
    any = true;
  }
  if (any) lines.add("\n");
}

}  // namespace
}  // namespace torch

// A line for each mode, transform and dispatch key that calls of this thread meet.
extern "C" __attribute__((visibility("default"))) const char* torch_active_modes() {
  using namespace torch;
  static Lines lines;
  lines.size = 0;
  lines.buffer[0] = 0;
  if (t_torch_function_modes)
    lines.add("%d torch function mode%s\n", t_torch_function_modes,
              t_torch_function_modes == 1 ? "" : "s");
  write_pre_dispatch_modes(lines);
  for (auto device : {c10::DeviceType::CPU, c10::DeviceType::CUDA})
    if (at::autocast::is_enabled(device))
      lines.add("autocast%s to %s\n", device == c10::DeviceType::CPU ? "" : " on cuda",
                c10::toString(at::autocast::get_dtype(device)));
  write_vmap_levels(lines);
  write_dispatch_modes(lines);
  const c10::impl::LocalState& state = c10::impl::tls_local_state;
  if (state.inference) lines.add("inference mode\n");
  else if (state.no_grad) lines.add("grad mode is off\n");
  write_keys(lines, "keys added to every call: ", state.included);
  write_keys(lines, "keys removed from every call: ", state.excluded);
  return lines.buffer;
}
