// Counters in memory files.

#include <c10/cuda/impl/Counters.h>

#include <c10/util/Exception.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>

namespace c10::cuda::impl {
namespace {

constexpr size_t kCounters = 4096;
constexpr size_t kBytes = kCounters * sizeof(Counters::Counter);
static_assert(Counters::Counter::is_always_lock_free, "processes share no lock");

}  // namespace

bool Counters::map(int descriptor) {
  void* at = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) return false;
  values_ = static_cast<Counter*>(at);
  return true;
}

Counters::Counters() : file_(make_shared_file(kBytes)) {
  TORCH_CHECK(file_.descriptor >= 0 && map(file_.descriptor),
              "there is no shared memory for the counters of CUDA tensors that are sent");
  for (size_t k = kCounters; k-- > 0;) unused_.push_back(k);
}

Counters::~Counters() {
  if (values_) ::munmap(values_, kBytes);
  if (file_.process == ::getpid() && file_.descriptor >= 0) ::close(file_.descriptor);
}

std::shared_ptr<Counters> Counters::of(const FileId& file) {
  static std::mutex mutex;
  static auto* known = new std::map<uint64_t, std::weak_ptr<Counters>>();
  std::lock_guard<std::mutex> lock(mutex);
  if (auto found = (*known)[file.inode].lock()) return found;
  const int descriptor = open_shared_file(file);
  if (descriptor < 0) return nullptr;
  std::shared_ptr<Counters> made(new Counters(file));
  const bool is_mapped = made->map(descriptor);
  ::close(descriptor);
  if (!is_mapped) return nullptr;
  (*known)[file.inode] = made;
  return made;
}

bool Counters::has(size_t index) const { return index < kCounters; }

size_t Counters::take() {
  const size_t index = unused_.back();
  unused_.pop_back();
  values_[index] = 0;
  return index;
}

}  // namespace c10::cuda::impl
