// The CPU's random number generator: seeding, states, and the default generator.

#include <ATen/CPUGeneratorImpl.h>

#include <pthread.h>

#include <cmath>
#include <cstring>
#include <mutex>
#include <random>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/random/random.h>
#include <c10/util/ForkMutex.h>

namespace at {

void mt19937::init(uint64_t s) {
  seed = s;
  state[0] = static_cast<uint32_t>(s);
  for (int i = 1; i < N; ++i)
    state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + static_cast<uint32_t>(i);
  next = N;
  unused = true;
}

void mt19937::refill() {
  native::mt19937_refill_stub(kCPU, state, tempered);
  next = 0;
  unused = false;
}

void mt19937::temper() { native::mt19937_temper_stub(kCPU, state, tempered); }

void mt19937::fill(uint32_t* out, int64_t n) {
  while (n > 0) {
    if (next == N) refill();
    int64_t part = std::min<int64_t>(n, N - next);
    std::memcpy(out, tempered + next, static_cast<size_t>(part) * sizeof(uint32_t));
    next += static_cast<int>(part);
    out += part;
    n -= part;
  }
}

// Note [Generators and fork]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~
// A generator is locked while it fills a tensor, which may take long: fork does not wait for it.
// The child finds it unlocked and continues roughly where it was; the exact position depends on
// timing.
static std::mutex g_generators_mutex;
static c10::HoldDuringFork g_generators_hold(g_generators_mutex);
static CPUGeneratorImpl* g_newest = nullptr;

[[maybe_unused]] static const int g_fork_handler = pthread_atfork(nullptr, nullptr, [] {
  for (CPUGeneratorImpl* g = g_newest; g; g = g->older) new (&g->mutex_) std::mutex;
});

CPUGeneratorImpl::CPUGeneratorImpl(uint64_t seed) : GeneratorImpl(kCPU), engine(seed) {
  std::lock_guard<std::mutex> lock(g_generators_mutex);
  older = g_newest;
  if (older) older->newer = this;
  g_newest = this;
}

CPUGeneratorImpl::~CPUGeneratorImpl() {
  std::lock_guard<std::mutex> lock(g_generators_mutex);
  (newer ? newer->older : g_newest) = older;
  if (older) older->newer = newer;
}

void CPUGeneratorImpl::set_current_seed(uint64_t seed) {
  next_float_normal_sample.reset();
  next_double_normal_sample.reset();
  engine.init(seed);
}

uint64_t CPUGeneratorImpl::seed() {
  std::random_device entropy;
  // 53 bits: the seed survives a trip through a double.
  uint64_t s = (static_cast<uint64_t>(entropy()) << 32 | entropy()) & 0x1FFFFFFFFFFFFFull;
  set_current_seed(s);
  return s;
}

double CPUGeneratorImpl::normal_double() {
  if (next_double_normal_sample) {
    double v = *next_double_normal_sample;
    next_double_normal_sample.reset();
    return v;
  }
  double u1 = uniform_double(), u2 = uniform_double();
  double r = std::sqrt(-2.0 * std::log1p(-u2)), theta = 2.0 * M_PI * u1;
  next_double_normal_sample = r * std::sin(theta);
  return r * std::cos(theta);
}

// The byte layout of a state, as stored in PyTorch's files and by other programs: each 32-bit word
// takes 64 bits.
namespace {
struct StateBytes {
  uint64_t seed;
  int32_t left;
  int32_t seeded;
  uint64_t next;
  uint64_t state[mt19937::N];
  double normal_x, normal_y, normal_rho;
  int32_t normal_is_valid;
  int32_t padding;
  float next_float_normal_sample;
  bool float_is_valid;
};
static_assert(sizeof(StateBytes) == 5056, "PyTorch's states have 5056 bytes");
}  // namespace

Tensor CPUGeneratorImpl::get_state() const {
  Tensor bytes = empty_tensor({static_cast<int64_t>(sizeof(StateBytes))}, kByte);
  StateBytes s;
  std::memset(static_cast<void*>(&s), 0, sizeof s);
  s.seed = engine.seed;
  s.seeded = 1;
  // `left` counts the words before the next renewal, plus one: 1 means that the next call renews.
  s.left = engine.unused ? 1 : mt19937::N - engine.next + 1;
  s.next = engine.unused ? 0 : static_cast<uint64_t>(engine.next);
  if (!engine.unused && engine.next == mt19937::N) s.left = 1;
  for (int i = 0; i < mt19937::N; ++i) s.state[i] = engine.state[i];
  if (next_double_normal_sample) {
    // One slot for the cached sample of doubles, another for that of floats.
    s.normal_x = 0;
    s.normal_y = *next_double_normal_sample;
    s.normal_rho = 1.0;
    s.normal_is_valid = 1;
  }
  if (next_float_normal_sample) {
    s.next_float_normal_sample = *next_float_normal_sample;
    s.float_is_valid = true;
  }
  std::memcpy(bytes.data_ptr(), &s, sizeof s);
  return bytes;
}

void CPUGeneratorImpl::set_state(const Tensor& t) {
  TORCH_CHECK_TYPE(t.is_cpu() && t.scalar_type() == kByte && t.layout() == kStrided,
                   "RNG state must be a torch.ByteTensor, got ", dtypeName(t.scalar_type()), " on ",
                   t.device());
  TORCH_CHECK(t.numel() == sizeof(StateBytes) && t.is_contiguous(), "set_state: expected ",
              sizeof(StateBytes), " contiguous bytes, got shape ", t.sizes());
  StateBytes s;
  std::memcpy(static_cast<void*>(&s), t.data_ptr(), sizeof s - sizeof s.float_is_valid);
  unsigned char valid =
      static_cast<unsigned char*>(t.data_ptr())[offsetof(StateBytes, float_is_valid)];
  TORCH_CHECK(s.left >= 1 && s.left <= mt19937::N && s.next <= static_cast<uint64_t>(mt19937::N),
              "set_state: the bytes are no state of this generator");
  engine.seed = s.seed;
  for (int i = 0; i < mt19937::N; ++i) engine.state[i] = static_cast<uint32_t>(s.state[i]);
  engine.unused = s.left == 1 && s.next == 0;
  engine.next = s.left == 1 ? mt19937::N : mt19937::N - s.left + 1;
  engine.temper();
  next_double_normal_sample.reset();
  next_float_normal_sample.reset();
  if (s.normal_is_valid) {
    double r = std::sqrt(-2.0 * std::log1p(-s.normal_y)), theta = 2.0 * M_PI * s.normal_x;
    next_double_normal_sample =
        s.normal_rho == 1.0 && s.normal_x == 0 ? s.normal_y : r * std::sin(theta);
  }
  if (valid) next_float_normal_sample = s.next_float_normal_sample;
}

c10::intrusive_ptr<GeneratorImpl> CPUGeneratorImpl::clone() const {
  auto copy = c10::make_intrusive<CPUGeneratorImpl>(engine.seed);
  copy->engine = engine;
  copy->next_float_normal_sample = next_float_normal_sample;
  copy->next_double_normal_sample = next_double_normal_sample;
  return copy;
}

Generator make_cpu_generator(uint64_t seed) {
  return Generator(c10::make_intrusive<CPUGeneratorImpl>(seed));
}

const Generator& default_cpu_generator() {
  // The default generator starts from a seed drawn from the system, as in PyTorch.
  static const Generator* g = [] {
    auto* generator = new Generator(make_cpu_generator());
    generator->seed();
    return generator;
  }();
  return *g;
}

CPUGeneratorImpl* cpu_generator_or_default(const std::optional<Generator>& g) {
  if (!g || !g->defined()) return default_cpu_generator().get<CPUGeneratorImpl>();
  TORCH_CHECK(g->device().is_cpu(), "Expected a 'cpu' device type for generator but found '",
              g->device(), "'");
  return g->get<CPUGeneratorImpl>();
}

}  // namespace at
