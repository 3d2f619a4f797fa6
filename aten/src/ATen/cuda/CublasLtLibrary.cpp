// Handles, errors and the workspace size of cuBLASLt.

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <ATen/cuda/CublasLtApi.h>
#include <ATen/cuda/HandlePool.h>
#include <c10/cuda/impl/RelaxedCapture.h>
#include <c10/util/Environment.h>

#if __has_include(<cublasLt.h>) && !defined(TORCH_CUDA_EMULATED)
#include <cublasLt.h>
#define AT_CUBLASLT_VALUE(name, value) \
  static_assert(static_cast<int>(at::cuda::cublaslt::name) == static_cast<int>(value))
AT_CUBLASLT_VALUE(kR8I, CUDA_R_8I);
AT_CUBLASLT_VALUE(kR32I, CUDA_R_32I);
AT_CUBLASLT_VALUE(kR8FE4M3, CUDA_R_8F_E4M3);
AT_CUBLASLT_VALUE(kR8FE5M2, CUDA_R_8F_E5M2);
AT_CUBLASLT_VALUE(kCompute32I, CUBLAS_COMPUTE_32I);
AT_CUBLASLT_VALUE(kNothing, CUBLASLT_EPILOGUE_DEFAULT);
AT_CUBLASLT_VALUE(kRelu, CUBLASLT_EPILOGUE_RELU);
AT_CUBLASLT_VALUE(kBias, CUBLASLT_EPILOGUE_BIAS);
AT_CUBLASLT_VALUE(kReluBias, CUBLASLT_EPILOGUE_RELU_BIAS);
AT_CUBLASLT_VALUE(kGeluBias, CUBLASLT_EPILOGUE_GELU_BIAS);
AT_CUBLASLT_VALUE(kTransposeA, CUBLASLT_MATMUL_DESC_TRANSA);
AT_CUBLASLT_VALUE(kTransposeB, CUBLASLT_MATMUL_DESC_TRANSB);
AT_CUBLASLT_VALUE(kEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
AT_CUBLASLT_VALUE(kBiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
AT_CUBLASLT_VALUE(kScalePointerA, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
AT_CUBLASLT_VALUE(kScalePointerB, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
AT_CUBLASLT_VALUE(kFastAccumulation, CUBLASLT_MATMUL_DESC_FAST_ACCUM);
AT_CUBLASLT_VALUE(kBiasType, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
AT_CUBLASLT_VALUE(kBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
AT_CUBLASLT_VALUE(kBatchOffset, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
AT_CUBLASLT_VALUE(kMaxWorkspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
AT_CUBLASLT_VALUE(kAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
AT_CUBLASLT_VALUE(kAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
#if CUBLAS_VERSION >= 120900
AT_CUBLASLT_VALUE(kScaleModeA, CUBLASLT_MATMUL_DESC_A_SCALE_MODE);
AT_CUBLASLT_VALUE(kScaleModeB, CUBLASLT_MATMUL_DESC_B_SCALE_MODE);
AT_CUBLASLT_VALUE(kOneNumber, CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F);
AT_CUBLASLT_VALUE(kNumberOfEachRow, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
#endif
#undef AT_CUBLASLT_VALUE
static_assert(sizeof(at::cuda::cublaslt::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(at::cuda::cublaslt::Candidate) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(at::cuda::cublaslt::Candidate, workspace) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(at::cuda::cublaslt::Candidate, status) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));

#include <ATen/cuda/SameSignature.h>
namespace at::cuda::cublaslt {
AT_SAME_SIGNATURE(Functions::create, cublasLtCreate);
AT_SAME_SIGNATURE(Functions::status_name, cublasLtGetStatusName);
AT_SAME_SIGNATURE(Functions::create_operation, cublasLtMatmulDescCreate);
AT_SAME_SIGNATURE(Functions::set_operation, cublasLtMatmulDescSetAttribute);
AT_SAME_SIGNATURE(Functions::destroy_operation, cublasLtMatmulDescDestroy);
AT_SAME_SIGNATURE(Functions::create_layout, cublasLtMatrixLayoutCreate);
AT_SAME_SIGNATURE(Functions::set_layout, cublasLtMatrixLayoutSetAttribute);
AT_SAME_SIGNATURE(Functions::destroy_layout, cublasLtMatrixLayoutDestroy);
AT_SAME_SIGNATURE(Functions::set_preference, cublasLtMatmulPreferenceSetAttribute);
AT_SAME_SIGNATURE(Functions::create_preference, cublasLtMatmulPreferenceCreate);
AT_SAME_SIGNATURE(Functions::destroy_preference, cublasLtMatmulPreferenceDestroy);
AT_SAME_SIGNATURE(Functions::heuristic, cublasLtMatmulAlgoGetHeuristic);
AT_SAME_SIGNATURE(Functions::matmul, cublasLtMatmul);
}  // namespace at::cuda::cublaslt
#endif

namespace at::cuda::cublaslt {
namespace {

constexpr size_t kUnset = ~size_t{0};
std::atomic<size_t> requested_size{kUnset};

void* create() {
  Handle handle = nullptr;
  c10::cuda::impl::RelaxedCapture relaxed;
  check(functions().create(&handle), "cublasLtCreate");
  return handle;
}

size_t size_from_environment() {
  constexpr const char* kName = "CUBLASLT_WORKSPACE_SIZE";
  const char* value = std::getenv(kName);
  if (!value || !*value) return kUnset;
  const std::string_view text = value;
  size_t kib = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), kib);
  if (error != std::errc() || end != text.end() || kib >= kUnset / 1024) {
    c10::env_ignored(kName, "it is not a whole number of KiB");
    return kUnset;
  }
  return kib * 1024;
}

}  // namespace

void check(Status status, const char* call) {
  TORCH_CHECK(status == 0, "CUDA error: ", functions().status_name(status), " when calling `", call,
              "`");
}

Handle handle() { return handle_of_thread<create>(); }

size_t workspace_size() {
  if (const size_t size = requested_size; size != kUnset) return size;
  static const size_t from_environment = size_from_environment();
  if (from_environment != kUnset) return from_environment;
  // What NVIDIA's manual recommends: more from Hopper on.
  const auto& properties = c10::cuda::device_properties(c10::cuda::current_device());
  return (size_t{properties.major >= 9 ? 32u : 4u}) << 20;
}

void set_workspace_size(size_t bytes) { requested_size = bytes; }

}  // namespace at::cuda::cublaslt
