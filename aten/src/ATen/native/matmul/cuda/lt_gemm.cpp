// Products by cuBLASLt: descriptors of a call, and the algorithms that were chosen.

#include <ATen/native/matmul/cuda/lt_gemm.h>

#include <array>
#include <mutex>
#include <unordered_map>

#include <ATen/cuda/CublasLtApi.h>
#include <ATen/native/matmul/cuda/types.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

namespace at::native {
namespace {

namespace cublas = cuda::cublas;
namespace lt = cuda::cublaslt;
using lt::Descriptor;

constexpr size_t kMaxPlans = 10000;
constexpr lt::Status kNotSupported = 15;

int lt_type(ScalarType dtype) {
  switch (dtype) {
    case kChar:
      return lt::kR8I;
    case kInt:
      return lt::kR32I;
    case ScalarType::Float8_e4m3fn:
      return lt::kR8FE4M3;
    case ScalarType::Float8_e5m2:
      return lt::kR8FE5M2;
    default:
      return cublas_types(dtype).data;
  }
}

bool is_integer(const LtGemm& args) { return args.gemm.dtype == kInt; }
// Numbers of the computation: alpha, beta, and sums.
ScalarType type_of_sums(const LtGemm& args) {
  const ScalarType dtype = args.gemm.dtype;
  return dtype == kInt || dtype == kDouble || isComplexType(dtype) ? dtype : kFloat;
}
int compute_type(const LtGemm& args) {
  if (is_integer(args)) return lt::kCompute32I;
  // Factors of float8 have sums in float.
  return args.type_a == args.gemm.dtype ? cublas_types(args.type_a).compute : cublas::kCompute32F;
}
uint32_t epilogue(const LtGemm& args) {
  if (!args.bias) return lt::kNothing;
  return args.activation == LtActivation::relu   ? lt::kReluBias
         : args.activation == LtActivation::gelu ? lt::kGeluBias
                                                 : lt::kBias;
}

// The largest power of two up to 256 that divides the address.
uint32_t alignment(const void* address) {
  uint32_t bytes = 256;
  while (reinterpret_cast<uintptr_t>(address) % bytes != 0) bytes /= 2;
  return bytes;
}

// What the choice of an algorithm depends on.
using Key = std::array<int64_t, 25>;
struct KeyHash {
  size_t operator()(const Key& key) const {
    uint64_t hash = 14695981039346656037u;  // FNV-1a, by words
    for (int64_t number : key) hash = (hash ^ static_cast<uint64_t>(number)) * 1099511628211u;
    return hash ^ (hash >> 32);
  }
};

Key key_of(const LtGemm& args, size_t workspace) {
  const GemmArgs& g = args.gemm;
  return {c10::cuda::current_device(),
          static_cast<int64_t>(g.dtype),
          static_cast<int64_t>(args.type_a),
          static_cast<int64_t>(args.type_b),
          compute_type(args),
          g.trans_a,
          g.trans_b,
          g.m,
          g.n,
          g.k,
          g.lda,
          g.ldb,
          g.ldc,
          args.count,
          args.step_a,
          args.step_b,
          args.step_c,
          epilogue(args),
          args.bias ? static_cast<int64_t>(args.bias_type) : -1,
          args.bias ? alignment(args.bias) : 0,
          (args.scale_a ? 1 : 0) + args.scales_rows * 2 + args.fast_accumulation * 4,
          alignment(g.a),
          alignment(g.b),
          alignment(g.c),
          static_cast<int64_t>(workspace)};
}

struct Plan {
  bool is_usable = false;
  lt::Algorithm algorithm{};
  size_t workspace = 0;
};

// Never destroyed: at the end of the process threads may still call.
struct Plans {
  std::mutex mutex;
  std::unordered_map<Key, Plan, KeyHash> made;
};
Plans& plans() {
  static auto* all = new Plans;
  return *all;
}
void keep_plan(const Key& key, const Plan& plan) {
  std::lock_guard<std::mutex> lock(plans().mutex);
  if (plans().made.size() >= kMaxPlans) plans().made.clear();
  plans().made[key] = plan;
}

// The descriptors of a call. Row-major C = A B is column-major C' = B' A', so the first operand of
// cuBLASLt is our B.
struct Descriptors {
  Descriptor operation = nullptr, first = nullptr, second = nullptr, result = nullptr;

  explicit Descriptors(const LtGemm& args) {
    const GemmArgs& g = args.gemm;
    lt::check(
        functions.create_operation(&operation, compute_type(args), lt_type(type_of_sums(args))),
        "cublasLtMatmulDescCreate");
    set(lt::kTransposeA, int32_t{g.trans_b ? cublas::kTranspose : cublas::kNone});
    set(lt::kTransposeB, int32_t{g.trans_a ? cublas::kTranspose : cublas::kNone});
    if (args.bias) {
      set(lt::kEpilogue, epilogue(args));
      set(lt::kBiasPointer, args.bias);
      if (args.bias_type != g.dtype) set(lt::kBiasType, int32_t{lt_type(args.bias_type)});
    }
    if (args.scale_a) {
      set(lt::kScalePointerA, args.scale_b);
      set(lt::kScalePointerB, args.scale_a);
      if (args.scales_rows) {
        set(lt::kScaleModeA, int32_t{lt::kNumberOfEachRow});
        set(lt::kScaleModeB, int32_t{lt::kNumberOfEachRow});
      }
      set(lt::kFastAccumulation, static_cast<int8_t>(args.fast_accumulation));
    }
    first = layout(args.type_b, g.trans_b ? g.k : g.n, g.trans_b ? g.n : g.k, g.ldb, args.count,
                   args.step_b);
    second = layout(args.type_a, g.trans_a ? g.m : g.k, g.trans_a ? g.k : g.m, g.lda, args.count,
                    args.step_a);
    result = layout(g.dtype, g.n, g.m, g.ldc, args.count, args.step_c);
  }
  ~Descriptors() {
    if (operation) functions.destroy_operation(operation);
    for (Descriptor made : {first, second, result})
      if (made) functions.destroy_layout(made);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  bool is_known = true;  // false: this cuBLASLt is older than an attribute

 private:
  template <typename T>
  void set(int attribute, T value) {
    if (functions.set_operation(operation, attribute, &value, sizeof(value)) != 0) is_known = false;
  }
  Descriptor layout(ScalarType dtype, int64_t rows, int64_t columns, int64_t ld, int64_t count,
                    int64_t step) {
    Descriptor made = nullptr;
    lt::check(functions.create_layout(&made, lt_type(dtype), static_cast<uint64_t>(rows),
                                      static_cast<uint64_t>(columns), ld),
              "cublasLtMatrixLayoutCreate");
    if (count > 1) {
      const auto products = static_cast<int32_t>(count);
      if (functions.set_layout(made, lt::kBatchCount, &products, sizeof(products)) != 0 ||
          functions.set_layout(made, lt::kBatchOffset, &step, sizeof(step)) != 0)
        is_known = false;
    }
    return made;
  }
  const lt::Functions& functions = lt::functions();
};

Plan choose(const LtGemm& args, const Descriptors& d, size_t max_workspace) {
  const lt::Functions& f = lt::functions();
  Descriptor preference = nullptr;
  lt::check(f.create_preference(&preference), "cublasLtMatmulPreferenceCreate");
  auto set = [&](int attribute, auto value) {
    return f.set_preference(preference, attribute, &value, sizeof(value)) == 0;
  };
  const uint32_t of_result = alignment(args.gemm.c);
  const uint32_t alignments[] = {alignment(args.gemm.b), alignment(args.gemm.a), of_result,
                                 of_result};
  bool is_set = set(lt::kMaxWorkspace, static_cast<uint64_t>(max_workspace));
  for (int operand = 0; operand < 4; ++operand)
    is_set = set(lt::kAlignmentA + operand, alignments[operand]) && is_set;
  lt::Candidate candidate{};
  int found = 0;
  const lt::Status status = is_set
                                ? f.heuristic(lt::handle(), d.operation, d.first, d.second,
                                              d.result, d.result, preference, 1, &candidate, &found)
                                : kNotSupported;
  f.destroy_preference(preference);
  if (status != 0 || found == 0 || candidate.status != 0) return {};
  return {true, candidate.algorithm, candidate.workspace};
}

}  // namespace

bool lt_gemm(const LtGemm& args) {
  const size_t max_workspace = lt::workspace_size();
  const Key key = key_of(args, max_workspace);
  Plan plan;
  bool is_kept = false;
  {
    std::lock_guard<std::mutex> lock(plans().mutex);
    if (const auto found = plans().made.find(key); found != plans().made.end()) {
      plan = found->second;
      is_kept = true;
    }
  }
  if (is_kept && !plan.is_usable) return false;
  const Descriptors d(args);
  if (!is_kept) {
    if (d.is_known) plan = choose(args, d, max_workspace);
    keep_plan(key, plan);
    if (!plan.is_usable) return false;
  }
  const GemmArgs& g = args.gemm;
  const ScalarType sums = type_of_sums(args);
  const CublasFactor alpha(g.alpha, sums), beta(g.beta, sums);
  c10::DataPtr workspace;
  if (plan.workspace > 0)
    workspace = c10::cuda::CUDACachingAllocator::get()->allocate(plan.workspace);
  const lt::Status status =
      lt::functions().matmul(lt::handle(), d.operation, alpha.get(), g.b, d.first, g.a, d.second,
                             beta.get(), g.c, d.result, g.c, d.result, &plan.algorithm,
                             workspace.get(), plan.workspace, c10::cuda::getCurrentCUDAStream());
  // Recommended, and then not there.
  if (status == kNotSupported) {
    keep_plan(key, {});
    return false;
  }
  lt::check(status, "cublasLtMatmul");
  return true;
}

}  // namespace at::native
