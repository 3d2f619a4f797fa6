// Matrix products by oneDNN.

#include <ATen/Parallel.h>
#include <ATen/ThreadPool.h>
#include <ATen/native/common/mkldnn/Mkldnn.h>
#include <c10/util/Logging.h>

namespace at::native::mkldnn {

using dnnl::memory;

dnnl::engine& engine() {
  static dnnl::engine e(dnnl::engine::kind::cpu, 0);
  return e;
}

std::unique_lock<std::mutex> lock_creation() {
  // Before taking the lock: the thread that holds the pool may wait for it.
  internal::start_threads(get_num_threads());
  return std::unique_lock<std::mutex>(native_library_mutex());
}

void warm_up() {
  engine();
  has_type(kFloat);
  const float one = 1;
  float out;
  dnnl_sgemm('N', 'N', 1, 1, 1, 1, &one, 1, &one, 1, 0, &out, 1);
}

dnnl::stream& stream() {
  thread_local dnnl::stream s(engine());
  return s;
}

memory::data_type data_type(ScalarType t) {
  switch (t) {
    case kFloat:
      return memory::data_type::f32;
    case kBFloat16:
      return memory::data_type::bf16;
    case kHalf:
      return memory::data_type::f16;
    default:
      TORCH_INTERNAL_ASSERT(false, "no oneDNN type for ", toString(t));
      return memory::data_type::undef;
  }
}

bool has_type(ScalarType dtype) {
  // oneDNN runs bfloat16 on every AVX-512 processor, but it is only faster on those with
  // instructions for it.
  static const auto isa = dnnl::get_effective_cpu_isa();
  auto has_all = [](dnnl::cpu_isa features) {  // values are bits, one for each extension
    const auto bits = static_cast<unsigned>(features);
    return (static_cast<unsigned>(isa) & bits) == bits;
  };
  if (dtype == kBFloat16)
    return isa == dnnl::cpu_isa::avx512_core_bf16 || isa >= dnnl::cpu_isa::avx512_core_fp16;
  // Without these instructions pairs of products are summed in 16 bits, which can overflow.
  if (dtype == kChar)
    return has_all(dnnl::cpu_isa::avx512_core_vnni) || has_all(dnnl::cpu_isa::avx2_vnni);
  return dtype == kFloat;
}

void sgemm(const GemmArgs& g) {
  dnnl_sgemm(g.trans_a ? 'T' : 'N', g.trans_b ? 'T' : 'N', g.m, g.n, g.k,
             static_cast<float>(g.alpha.real()), static_cast<const float*>(g.a), g.lda,
             static_cast<const float*>(g.b), g.ldb, static_cast<float>(g.beta.real()),
             static_cast<float*>(g.c), g.ldc);
}

void int8_gemm(const GemmArgs& g) {
  const char trans_a = g.trans_a ? 'T' : 'N', trans_b = g.trans_b ? 'T' : 'N';
  const int32_t no_offset = 0;
  auto run = [&](auto gemm, auto like) {
    return gemm(trans_a, trans_b, 'F', g.m, g.n, g.k, 1, static_cast<decltype(like)>(g.a), g.lda, 0,
                static_cast<const int8_t*>(g.b), g.ldb, 0, 0, static_cast<int32_t*>(g.c), g.ldc,
                &no_offset);
  };
  const dnnl_status_t status = g.dtype == kByte
                                   ? run(dnnl_gemm_u8s8s32, static_cast<const uint8_t*>(nullptr))
                                   : run(dnnl_gemm_s8s8s32, static_cast<const int8_t*>(nullptr));
  TORCH_CHECK(status == dnnl_success, "int8_gemm: oneDNN failed");
}

namespace {
struct Matmul {
  dnnl::matmul primitive;
  memory a, b, c;
  int seen = 0;
};
// Creating a primitive takes some tenths of a millisecond: only shapes that recur get one.
constexpr int kSeenBefore = 2;

// `batch`: for several products. An operand that they share has one matrix.
Matmul make(const GemmArgs& g, const GemmBatch* batch) {
  auto lock = lock_creation();
  auto matrix = [&](int64_t rows, int64_t columns, int64_t ld, bool trans, int64_t step) {
    memory::dims sizes{rows, columns}, strides{trans ? 1 : ld, trans ? ld : 1};
    if (batch) {
      sizes.insert(sizes.begin(), step == 0 ? 1 : batch->count);
      strides.insert(strides.begin(), step == 0 ? rows * ld : step);
    }
    return memory::desc(sizes, data_type(g.dtype), strides);
  };
  const GemmBatch steps = batch ? *batch : GemmBatch{};
  const memory::desc a = matrix(g.m, g.k, g.lda, g.trans_a, steps.step_a),
                     b = matrix(g.k, g.n, g.ldb, g.trans_b, steps.step_b),
                     c = matrix(g.m, g.n, g.ldc, false, steps.step_c);
  dnnl::primitive_attr attr;
  if (g.beta.real() != 0) {
    dnnl::post_ops ops;
    ops.append_sum(static_cast<float>(g.beta.real()));
    attr.set_post_ops(ops);
  }
  dnnl::matmul::primitive_desc desc(engine(), a, b, c, attr);
  return {dnnl::matmul(desc), memory(a, engine(), nullptr), memory(b, engine(), nullptr),
          memory(c, engine(), nullptr), kSeenBefore};
}

bool run_matmul(const GemmArgs& g, const GemmBatch* batch, bool create) {
  if (g.alpha.real() != 1) return false;
  thread_local LruCache<Matmul> cache(kCacheCapacity);
  int64_t beta;
  double b = g.beta.real();
  std::memcpy(&beta, &b, sizeof(beta));
  Key key{{static_cast<int64_t>(g.dtype) * 4 + g.trans_a * 2 + g.trans_b, g.m, g.n, g.k, g.lda,
           g.ldb, g.ldc, beta}};
  if (batch) {
    for (int64_t x : {batch->count, batch->step_a, batch->step_b, batch->step_c})
      key.words.push_back(x);
  }
  Matmul* found = cache.find(key);
  bool created = !found;
  if (!found) found = &cache.insert(std::move(key), create ? make(g, batch) : Matmul{});
  if (!found->primitive) {
    if (++found->seen <= kSeenBefore) return false;
    *found = make(g, batch);
    created = true;
  }
  C10_LOG_ARTIFACT(OneDNN, created ? "create" : "reuse", " matmul ", dtypeName(g.dtype), " m ", g.m,
                   " n ", g.n, " k ", g.k);
  dnnl_memory_set_data_handle(found->a.get(), const_cast<void*>(g.a));
  dnnl_memory_set_data_handle(found->b.get(), const_cast<void*>(g.b));
  dnnl_memory_set_data_handle(found->c.get(), g.c);
  dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, found->a.get()},
                            {DNNL_ARG_WEIGHTS, found->b.get()},
                            {DNNL_ARG_DST, found->c.get()}};
  TORCH_CHECK(
      dnnl_primitive_execute(found->primitive.get(), stream().get(), 3, args) == dnnl_success,
      "matmul: oneDNN failed");
  stream().wait();
  return true;
}

}  // namespace

bool matmul(const GemmArgs& g, bool create) { return run_matmul(g, nullptr, create); }

bool batched_matmul(const GemmArgs& first, const GemmBatch& batch) {
  return run_matmul(first, &batch, true);
}

}  // namespace at::native::mkldnn
