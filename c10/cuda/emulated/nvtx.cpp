// NVTX of the emulated device: keeps what it is told, as a profiler would.

#include <nvtx3/nvToolsExt.h>

#include <cstring>
#include <mutex>
#include <string>
#include <utility>

namespace {

constexpr size_t kMaxBytes = 1 << 20;  // nobody may be reading

std::mutex g_mutex;
uint64_t g_ranges = 0;
thread_local int t_depth = 0;

std::string& lines() {
  static auto* const one = new std::string();
  return *one;
}

void keep(const char* what, const char* text) {
  std::lock_guard<std::mutex> lock(g_mutex);
  if (lines().size() < kMaxBytes) lines() += std::string(what) + text + "\n";
}

}  // namespace

extern "C" {

int nvtxRangePushA(const char* text) {
  keep("push ", text);
  return t_depth++;
}
int nvtxRangePop() {
  keep("pop", "");
  return t_depth > 0 ? --t_depth : -1;
}
nvtxRangeId_t nvtxRangeStartA(const char* text) {
  keep("start ", text);
  std::lock_guard<std::mutex> lock(g_mutex);
  return ++g_ranges;
}
void nvtxRangeEnd(nvtxRangeId_t) { keep("end", ""); }
void nvtxMarkA(const char* text) { keep("mark ", text); }

char* torch_emulated_nvtx_lines() {
  std::lock_guard<std::mutex> lock(g_mutex);
  return ::strdup(std::exchange(lines(), {}).c_str());
}
}
