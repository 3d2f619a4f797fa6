// All reductions on CUDA devices: sums, products, extremes and their places, moments, norms.
//
// Note [Reductions on CUDA]
// ~~~~~~~~~~~~~~~~~~~~~~~~~
// A block of 256 threads computes some outputs. Its threads lie along the reduced elements or along
// the outputs, whichever are closer together in memory; the accumulators of one output meet in
// shared memory, in pairs. An output of up to four elements has one thread, which meets none. Where
// outputs are too few to fill the device, the reduced elements are divided among blocks, and a
// second kernel combines the parts in order, so that a result never depends on timing.

#include <algorithm>

#include <ATen/native/common/Reduce.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/ne.h>
#include <c10/core/DeviceGuard.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

constexpr int kReduceThreads = 256;

// --- the functions ------------------------------------------------------------------------------
// Each has an accumulator, how an element is added to it, how a later one is merged into it, and
// the results.

template <typename T>
struct Plain {
  using Accumulator = T;
  using Result = T;
  static constexpr bool kHasSecond = false;
};

template <typename T>
struct Sum : Plain<T> {
  T divisor = T(1);
  __device__ T start() const { return T(0); }
  __device__ void add(T& acc, T x, int64_t) const { acc += x; }
  __device__ void merge(T& acc, const T& later) const { acc += later; }
  __device__ T result(const T& acc) const { return divisor == T(1) ? acc : acc / divisor; }
};
template <typename T>
struct NanSum : Sum<T> {
  __device__ void add(T& acc, T x, int64_t) const {
    if (x == x) acc += x;
  }
};
template <typename T>
struct Product : Plain<T> {
  __device__ T start() const { return T(1); }
  __device__ void add(T& acc, T x, int64_t) const { acc *= x; }
  __device__ void merge(T& acc, const T& later) const { acc *= later; }
  __device__ T result(const T& acc) const { return acc; }
};
template <typename T, bool kAll>
struct Logic : Plain<T> {
  __device__ bool start() const { return kAll; }
  __device__ void add(bool& acc, bool x, int64_t) const { acc = kAll ? acc && x : acc || x; }
  __device__ void merge(bool& acc, const bool& later) const { add(acc, later, 0); }
  __device__ bool result(const bool& acc) const { return acc; }
};
struct CountNonzero {
  using Accumulator = int64_t;
  using Result = int64_t;
  static constexpr bool kHasSecond = false;
  __device__ int64_t start() const { return 0; }
  __device__ void add(int64_t& acc, bool x, int64_t) const { acc += x; }
  __device__ void merge(int64_t& acc, const int64_t& later) const { acc += later; }
  __device__ int64_t result(const int64_t& acc) const { return acc; }
};

// NaN counts as larger than all numbers for max and smaller than all for min. Among equal values
// the first one counts.
template <typename T, bool kMax>
__device__ bool is_better(T a, T b) {
  if (a != a) return b == b;
  return kMax ? a > b : a < b;
}
template <typename T, bool kMax>
__host__ __device__ T worst() {
  using Limits = std::numeric_limits<T>;
  if (Limits::has_infinity) return kMax ? -Limits::infinity() : Limits::infinity();
  return kMax ? Limits::lowest() : Limits::max();
}
template <typename T, bool kMax>
struct Extreme : Plain<T> {
  __device__ T start() const { return worst<T, kMax>(); }
  __device__ void add(T& acc, T x, int64_t) const {
    if (is_better<T, kMax>(x, acc)) acc = x;
  }
  __device__ void merge(T& acc, const T& later) const { add(acc, later, 0); }
  __device__ T result(const T& acc) const { return acc; }
};
template <typename T>
struct Place {
  T value;
  int64_t index;  // -1: none yet
};
template <typename T, bool kMax>
struct WithIndex {
  using Accumulator = Place<T>;
  __device__ Place<T> start() const { return {worst<T, kMax>(), -1}; }
  __device__ void add(Place<T>& acc, T x, int64_t i) const { merge(acc, {x, i}); }
  __device__ void merge(Place<T>& acc, const Place<T>& later) const {
    if (later.index < 0) return;
    const bool is_equal =
        later.value == acc.value || (later.value != later.value && acc.value != acc.value);
    if (acc.index < 0 || is_better<T, kMax>(later.value, acc.value) ||
        (is_equal && later.index < acc.index))
      acc = later;
  }
};
template <typename T, bool kMax>
struct ArgExtreme : WithIndex<T, kMax> {
  using Result = int64_t;
  static constexpr bool kHasSecond = false;
  __device__ int64_t result(const Place<T>& acc) const { return acc.index; }
};
template <typename T, bool kMax>
struct ExtremeAndPlace : WithIndex<T, kMax> {
  using Result = T;
  using Second = int64_t;
  static constexpr bool kHasSecond = true;
  __device__ T result(const Place<T>& acc) const { return acc.value; }
  __device__ int64_t second(const Place<T>& acc) const { return acc.index; }
};

// Mean and sum of squared differences, merged by Chan, Golub and LeVeque's formula ("Updating
// formulae and a pairwise algorithm for computing sample variances", 1979).
struct Moments {
  double mean, squares, count;
};
template <typename T>
struct Variance {
  using Accumulator = Moments;
  using Result = T;
  using Second = T;
  static constexpr bool kHasSecond = true;
  double correction;
  bool is_root;
  __device__ Moments start() const { return {0, 0, 0}; }
  __device__ void add(Moments& acc, T x, int64_t) const {
    const auto value = static_cast<double>(x), delta = value - acc.mean;
    acc.count += 1;
    acc.mean += delta / acc.count;
    acc.squares += delta * (value - acc.mean);
  }
  __device__ void merge(Moments& acc, const Moments& later) const {
    if (later.count == 0) return;
    const double all = acc.count + later.count, delta = later.mean - acc.mean;
    acc.mean += delta * (later.count / all);
    acc.squares += later.squares + delta * delta * acc.count * (later.count / all);
    acc.count = all;
  }
  __device__ T result(const Moments& acc) const {
    const double divisor = acc.count > correction ? acc.count - correction : 0.0;
    const double variance = acc.squares / divisor;
    return static_cast<T>(is_root ? std::sqrt(variance) : variance);
  }
  __device__ T second(const Moments& acc) const {
    return acc.count > 0 ? static_cast<T>(acc.mean) : std::numeric_limits<T>::quiet_NaN();
  }
};

// |x|^p summed, in double; p is 0, 1, 2 or any other number.
template <typename T>
struct Norm {
  using Accumulator = double;
  using Result = T;
  static constexpr bool kHasSecond = false;
  double p;
  __device__ double start() const { return 0; }
  __device__ void add(double& acc, T x, int64_t) const {
    const double size = std::abs(static_cast<double>(x));
    acc += p == 2   ? size * size
           : p == 1 ? size
           : p == 0 ? (size != 0 ? 1.0 : 0.0)
                    : std::pow(size, p);
  }
  __device__ void merge(double& acc, const double& later) const { acc += later; }
  __device__ T result(const double& acc) const {
    return static_cast<T>(p == 2 ? std::sqrt(acc) : p == 1 || p == 0 ? acc : std::pow(acc, 1 / p));
  }
};
template <typename T, bool kMax>
struct NormInf : Extreme<T, kMax> {
  __device__ T start() const { return kMax ? T(0) : std::numeric_limits<T>::infinity(); }
  __device__ void add(T& acc, T x, int64_t) const { Extreme<T, kMax>::add(acc, std::abs(x), 0); }
};

// log of the sum of e^x: the largest x, and the sum of e^(x - largest).
template <typename T>
struct Exponentials {
  T largest, sum;
};
template <typename T>
struct LogSumExp {
  using Accumulator = Exponentials<T>;
  using Result = T;
  static constexpr bool kHasSecond = false;
  static constexpr T kInf = std::numeric_limits<T>::infinity();
  __device__ Exponentials<T> start() const { return {-kInf, T(0)}; }
  __device__ void add(Exponentials<T>& acc, T x, int64_t) const { merge(acc, {x, T(1)}); }
  __device__ void merge(Exponentials<T>& acc, const Exponentials<T>& later) const {
    const T largest =
        later.largest > acc.largest || later.largest != later.largest ? later.largest : acc.largest;
    auto scaled = [&](const Exponentials<T>& e) {
      // Equal infinities would give inf - inf.
      return e.largest == largest || e.sum == 0 ? e.sum : e.sum * std::exp(e.largest - largest);
    };
    acc = {largest, scaled(acc) + scaled(later)};
  }
  __device__ T result(const Exponentials<T>& acc) const {
    if (acc.largest == kInf || acc.largest == -kInf) return acc.largest;
    return acc.largest + std::log(acc.sum);
  }
};

// --- the plan -----------------------------------------------------------------------------------

// Finds element i of some dimensions, the innermost one first.
struct Dims {
  int ndim = 0;
  FastDivision size[kMaxLoopDims];
  int64_t stride[kMaxLoopDims];  // in elements

  __device__ int64_t offset(int64_t i) const {
    int64_t at = 0;
    if (i > INT32_MAX) {
      for (int d = 0; d < ndim; ++d) {
        at += i % size[d].divisor * stride[d];
        i /= size[d].divisor;
      }
      return at;
    }
    auto rest = static_cast<uint32_t>(i);
    for (int d = 0; d < ndim; ++d) {
      const auto [quotient, remainder] = size[d].divide(rest);
      at += static_cast<int64_t>(remainder) * stride[d];
      rest = quotient;
    }
    return at;
  }
};

struct Plan {
  Dims kept, reduced;
  int64_t outputs = 1, elements = 1;  // elements of each output
  int64_t chunk = 1;                  // of the elements, for a block
  int x = kReduceThreads, y = 1;      // threads
  bool x_is_output = false;
};

template <typename F>
__device__ void store(const F& f, const typename F::Accumulator& acc, int64_t output,
                      typename F::Result* out0, void* out1) {
  out0[output] = f.result(acc);
  if constexpr (F::kHasSecond) static_cast<typename F::Second*>(out1)[output] = f.second(acc);
}

template <typename F, typename T, typename Element>
__global__ void __launch_bounds__(kReduceThreads)
    reduce_kernel(F f, Plan plan, const Element* in, typename F::Accumulator* parts,
                  typename F::Result* out0, void* out1) {
  using A = typename F::Accumulator;
  A* shared = c10::cuda::dynamic_shared<A>();
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int lane = plan.x_is_output ? ty : tx, lanes = plan.x_is_output ? plan.y : plan.x;
  const int column = plan.x_is_output ? tx : ty, columns = plan.x_is_output ? plan.x : plan.y;
  const int64_t output = static_cast<int64_t>(blockIdx.x) * columns + column;
  const int64_t begin = static_cast<int64_t>(blockIdx.y) * plan.chunk;
  const int64_t end = begin + plan.chunk < plan.elements ? begin + plan.chunk : plan.elements;

  A acc = f.start();
  if (output < plan.outputs) {
    const Element* from = in + plan.kept.offset(output);
    for (int64_t i = begin + lane; i < end; i += lanes)
      f.add(acc, static_cast<T>(from[plan.reduced.offset(i)]), i);
  }
  const int at = lane * columns + column;
  shared[at] = acc;
  for (int half = lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half) f.merge(shared[at], shared[at + half * columns]);
  }
  if (lane != 0 || output >= plan.outputs) return;
  if (parts) parts[output * gridDim.y + blockIdx.y] = shared[at];
  else store(f, shared[at], output, out0, out1);
}

template <typename F>
__global__ void __launch_bounds__(kReduceThreads)
    combine_kernel(F f, int64_t outputs, int num_parts, const typename F::Accumulator* parts,
                   typename F::Result* out0, void* out1) {
  const int64_t output = static_cast<int64_t>(blockIdx.x) * kReduceThreads + threadIdx.x;
  if (output >= outputs) return;
  typename F::Accumulator acc = f.start();
  for (int k = 0; k < num_parts; ++k) f.merge(acc, parts[output * num_parts + k]);
  store(f, acc, output, out0, out1);
}

// Dimensions of one kind, adjacent ones merged. Those reduced keep the order of the tensor's
// dimensions, in which indices count.
Dims dims_of(const Tensor& self, uint64_t mask, bool reduced, int64_t& total) {
  Dims dims;
  for (int64_t d = self.dim() - 1; d >= 0; --d) {
    if ((mask >> d & 1) != reduced) continue;
    const int64_t size = self.size(d), stride = self.stride(d);
    total *= size;
    if (size <= 1) continue;  // of no elements, the kernel sees the total
    const int last = dims.ndim - 1;
    if (dims.ndim > 0 &&
        stride == dims.stride[last] * static_cast<int64_t>(dims.size[last].divisor) &&
        size * dims.size[last].divisor <= INT32_MAX) {
      dims.size[last] = FastDivision(static_cast<uint32_t>(size * dims.size[last].divisor));
      continue;
    }
    TORCH_CHECK(dims.ndim < kMaxLoopDims && size <= INT32_MAX,
                "reductions on a CUDA device take up to ", kMaxLoopDims, " dimensions below 2^31");
    dims.size[dims.ndim] = FastDivision(static_cast<uint32_t>(size));
    dims.stride[dims.ndim++] = stride;
  }
  return dims;
}

int64_t innermost_stride(const Dims& dims) {
  return dims.ndim ? std::abs(dims.stride[0]) : INT64_MAX;
}

Plan plan_of(const Tensor& self, uint64_t mask) {
  Plan plan;
  plan.kept = dims_of(self, mask, false, plan.outputs);
  plan.reduced = dims_of(self, mask, true, plan.elements);
  plan.x_is_output = innermost_stride(plan.kept) < innermost_stride(plan.reduced);
  // A thread adds at least four elements before threads of an output meet, and the results that lie
  // side by side are read by at least 32 threads, or by as many as there are.
  int lanes = 1, neighbours = 1;
  while (lanes < kReduceThreads && 4 * lanes < plan.elements) lanes *= 2;
  if (plan.x_is_output) {
    while (neighbours < 32 && neighbours < plan.outputs) neighbours *= 2;
    lanes = std::min(lanes, kReduceThreads / neighbours);
  }
  plan.x = plan.x_is_output ? kReduceThreads / lanes : lanes;
  plan.y = kReduceThreads / plan.x;
  plan.chunk = std::max<int64_t>(plan.elements, 1);
  return plan;
}

// A reduction as the host sees it. Host code that depends on the function takes long to compile.
struct Kernels {
  // computed: the type of sums and the like; where it is float, halves are read as they are.
  // second: Undefined if there is one result.
  ScalarType computed, result, second;
  size_t accumulator;  // bytes
  void (*reduce)(const c10::cuda::LaunchShape& shape, cudaStream_t stream, const void* f,
                 const Plan& plan, const Tensor& in, void* parts, void* out0, void* out1);
  void (*combine)(const c10::cuda::LaunchShape& shape, cudaStream_t stream, const void* f,
                  int64_t outputs, int num_parts, const void* parts, void* out0, void* out1);
};

template <typename T, typename F>
void start_reduction(const c10::cuda::LaunchShape& shape, cudaStream_t stream, const void* f,
                     const Plan& plan, const Tensor& in, void* parts, void* out0, void* out1) {
  auto start = [&]<typename Element>(TypeTag<Element>) {
    c10::cuda::launch(reduce_kernel<F, T, Element>, shape, stream, *static_cast<const F*>(f), plan,
                      static_cast<const Element*>(in.data_ptr()),
                      static_cast<typename F::Accumulator*>(parts),
                      static_cast<typename F::Result*>(out0), out1);
  };
  if constexpr (std::is_same_v<T, float>) {
    if (in.scalar_type() == kHalf) return start(TypeTag<c10::Half>());
    if (in.scalar_type() == kBFloat16) return start(TypeTag<c10::BFloat16>());
  }
  start(TypeTag<T>());
}
template <typename F>
void start_combination(const c10::cuda::LaunchShape& shape, cudaStream_t stream, const void* f,
                       int64_t outputs, int num_parts, const void* parts, void* out0, void* out1) {
  c10::cuda::launch(combine_kernel<F>, shape, stream, *static_cast<const F*>(f), outputs, num_parts,
                    static_cast<const typename F::Accumulator*>(parts),
                    static_cast<typename F::Result*>(out0), out1);
}

template <typename F>
constexpr ScalarType second_type() {
  if constexpr (F::kHasSecond) return c10::CppTypeToScalarType<typename F::Second>::value;
  else return ScalarType::Undefined;
}
template <typename T, typename F>
constexpr Kernels kKernels = {c10::CppTypeToScalarType<T>::value,
                              c10::CppTypeToScalarType<typename F::Result>::value,
                              second_type<F>(),
                              sizeof(typename F::Accumulator),
                              start_reduction<T, F>,
                              start_combination<F>};

void launch_reduction(const Kernels& kernels, const void* f, Plan plan, const Tensor& self,
                      const Tensor& out0, const Tensor& out1) {
  auto stream = c10::cuda::getCurrentCUDAStream(self.device().index());
  const int64_t columns = plan.x_is_output ? plan.x : plan.y;
  const int64_t blocks = (plan.outputs + columns - 1) / columns;
  // Enough blocks to fill the device, and at least 16 elements for each thread of them.
  const auto& device = c10::cuda::device_properties(self.device().index());
  const int64_t filling = 4 * device.multiProcessorCount;
  int64_t num_parts =
      std::min((filling + blocks - 1) / blocks, plan.elements / (16 * kReduceThreads / columns));
  num_parts = std::clamp<int64_t>(num_parts, 1, 65535);
  plan.chunk = std::max<int64_t>(1, (plan.elements + num_parts - 1) / num_parts);
  void* result = out0.data_ptr();
  void* second = out1.defined() ? out1.data_ptr() : nullptr;
  Tensor parts;
  if (num_parts > 1)
    parts = empty_tensor({static_cast<int64_t>(kernels.accumulator) * num_parts * plan.outputs},
                         kByte, self.device());
  void* part_data = num_parts > 1 ? parts.data_ptr() : nullptr;
  kernels.reduce({dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(num_parts)),
                  dim3(static_cast<unsigned>(plan.x), static_cast<unsigned>(plan.y)),
                  kernels.accumulator * kReduceThreads},
                 stream, f, plan, self, part_data, result, second);
  if (num_parts == 1) return;
  const int64_t groups = (plan.outputs + kReduceThreads - 1) / kReduceThreads;
  kernels.combine({static_cast<unsigned>(groups), kReduceThreads}, stream, f, plan.outputs,
                  static_cast<int>(num_parts), part_data, result, second);
}

class Runner {
 public:
  Runner(const Tensor& self, uint64_t mask, const Tensor& out0, const Tensor& out1)
      : self_(self), mask_(mask), out0_(out0), out1_(out1) {}

  // T: what is computed in. Elements are read as they are if a kernel exists for their type.
  template <typename T, typename F>
  void run(const F& f) {
    run(kKernels<T, F>, &f);
  }

 private:
  void run(const Kernels& kernels, const void* f) {
    const bool is_half = kernels.computed == kFloat &&
                         (self_.scalar_type() == kHalf || self_.scalar_type() == kBFloat16);
    Tensor in = self_;
    if (in.scalar_type() != kernels.computed && !is_half)
      in = at::_to_copy(in, TensorOptions(kernels.computed));
    Tensor first = dense(out0_, kernels.result), second;
    if (kernels.second != ScalarType::Undefined) second = dense(out1_, kernels.second);
    launch_reduction(kernels, f, plan_of(in, mask_), in, first, second);
    keep(first, out0_);
    keep(second, out1_);
  }

  // Where a kernel writes: the output itself if it is dense and of that type. An output that the
  // caller does not need still has memory.
  Tensor dense(const Tensor& out, ScalarType type) {
    if (out.defined() && out.scalar_type() == type && out.is_contiguous()) return out;
    return empty_tensor(out0_.sizes(), type, self_.device());
  }
  static void keep(const Tensor& computed, const Tensor& out) {
    if (!out.defined() || !computed.defined() || computed.is_same(out)) return;
    Tensor to = out;
    copy_(to, computed, false);
  }

  const Tensor& self_;
  uint64_t mask_;
  const Tensor &out0_, &out1_;
};

using ComputeReal = TypeList<float, double>;
using ComputeOrdered = TypeList<float, double, int64_t>;
using ComputeNumber = TypeList<float, double, int64_t, c10::complex<float>, c10::complex<double>>;

}  // namespace

static void reduce_on_cuda(const Reduction& reduction, const Tensor& self, uint64_t mask,
                           bool keepdim, const Tensor& out0, const Tensor& out1) {
  if (out0.numel() == 0) return;
  if (reduction.kind == ReduceKind::aminmax) {
    Reduction one = reduction;
    one.kind = ReduceKind::amin;
    reduce_on_cuda(one, self, mask, keepdim, out0, Tensor());
    one.kind = ReduceKind::amax;
    return reduce_on_cuda(one, self, mask, keepdim, out1, Tensor());
  }
  c10::OptionalDeviceGuard guard(self.device());
  Runner runner(self, mask, out0, out1);
  const char* op = reduction.op;
  const ScalarType compute = reduction.compute;
  const double p = reduction.parameter;
  const auto elements = static_cast<double>(self.numel()) / static_cast<double>(out0.numel());
  auto real = [&](auto f) { dispatch_types<ComputeReal>(compute, op, f); };
  auto ordered = [&](auto f) { dispatch_types<ComputeOrdered>(compute, op, f); };
  auto number = [&](auto f) { dispatch_types<ComputeNumber>(compute, op, f); };
  switch (reduction.kind) {
    case ReduceKind::sum:
      return number([&]<typename T>(TypeTag<T>) { runner.run<T>(Sum<T>()); });
    case ReduceKind::mean:
      return number([&]<typename T>(TypeTag<T>) {
        Sum<T> mean;
        mean.divisor = static_cast<T>(elements);
        runner.run<T>(mean);
      });
    case ReduceKind::nansum:
      return number([&]<typename T>(TypeTag<T>) { runner.run<T>(NanSum<T>()); });
    case ReduceKind::prod:
      return number([&]<typename T>(TypeTag<T>) { runner.run<T>(Product<T>()); });
    case ReduceKind::all:
      return runner.run<bool>(Logic<bool, true>());
    case ReduceKind::any:
      return runner.run<bool>(Logic<bool, false>());
    case ReduceKind::count_nonzero:
      return runner.run<bool>(CountNonzero());
    case ReduceKind::amax:
      return ordered([&]<typename T>(TypeTag<T>) { runner.run<T>(Extreme<T, true>()); });
    case ReduceKind::amin:
      return ordered([&]<typename T>(TypeTag<T>) { runner.run<T>(Extreme<T, false>()); });
    case ReduceKind::aminmax:
      break;  // see above
    case ReduceKind::argmax:
      return ordered([&]<typename T>(TypeTag<T>) { runner.run<T>(ArgExtreme<T, true>()); });
    case ReduceKind::argmin:
      return ordered([&]<typename T>(TypeTag<T>) { runner.run<T>(ArgExtreme<T, false>()); });
    case ReduceKind::max:
      return ordered([&]<typename T>(TypeTag<T>) { runner.run<T>(ExtremeAndPlace<T, true>()); });
    case ReduceKind::min:
      return ordered([&]<typename T>(TypeTag<T>) { runner.run<T>(ExtremeAndPlace<T, false>()); });
    case ReduceKind::var:
    case ReduceKind::std:
      return real([&]<typename T>(TypeTag<T>) {
        runner.run<T>(Variance<T>{p, reduction.kind == ReduceKind::std});
      });
    case ReduceKind::norm0:
    case ReduceKind::norm1:
    case ReduceKind::norm2:
    case ReduceKind::normp:
      return real([&]<typename T>(TypeTag<T>) { runner.run<T>(Norm<T>{p}); });
    case ReduceKind::norm_inf:
      return real([&]<typename T>(TypeTag<T>) { runner.run<T>(NormInf<T, true>()); });
    case ReduceKind::norm_neg_inf:
      return real([&]<typename T>(TypeTag<T>) { runner.run<T>(NormInf<T, false>()); });
    case ReduceKind::logsumexp:
      return real([&]<typename T>(TypeTag<T>) { runner.run<T>(LogSumExp<T>()); });
  }
}

REGISTER_CUDA_DISPATCH(reduction_stub, &reduce_on_cuda)

}  // namespace at::native
