#pragma once
// Settings of the process that kernels ask for.

#include <atomic>

namespace at {

enum class Float32MatmulPrecision { highest, high, medium };

// torch.backends.cuda.preferred_blas_library. `automatic`: cuBLASLt where there is a bias.
enum class BlasBackend { automatic, cublas, cublaslt };

// Settings of cuDNN: torch.backends.cudnn.
struct CudnnSettings {
  std::atomic<bool> enabled{true}, benchmark{false}, deterministic{false};
  std::atomic<bool> allow_tf32_conv{true}, allow_tf32_rnn{true};
  std::atomic<int> benchmark_limit{10};  // how many algorithms are measured; 0: all
};

class Context {
 public:
  // Kernels whose result depends on the order of threads take another way, or warn.
  bool deterministicAlgorithms() const { return is_deterministic_; }
  bool deterministicAlgorithmsWarnOnly() const { return only_warns_; }
  void setDeterministicAlgorithms(bool on, bool warn_only) {
    is_deterministic_ = on;
    only_warns_ = warn_only;
  }
  // In this mode, memory of torch.empty and others is filled.
  bool deterministicFillUninitializedMemory() const { return fills_memory_; }
  void setDeterministicFillUninitializedMemory(bool fills) { fills_memory_ = fills; }
  // torch.set_float32_matmul_precision, which is one way to say the next.
  Float32MatmulPrecision float32MatmulPrecision() const { return precision_; }
  void setFloat32MatmulPrecision(Float32MatmulPrecision p) {
    precision_ = p;
    allow_tf32_products_ = p != Float32MatmulPrecision::highest;
  }
  // Matrix products of float on GPUs may round their factors to TF32 where that is faster.
  bool allowTF32CuBLAS() const { return allow_tf32_products_; }
  void setAllowTF32CuBLAS(bool allowed) { allow_tf32_products_ = allowed; }
  BlasBackend preferredBlas() const { return blas_; }
  void setPreferredBlas(BlasBackend backend) { blas_ = backend; }
  // Whether oneDNN is used where it is there: torch.backends.mkldnn.enabled.
  bool userEnabledMkldnn() const { return uses_mkldnn_; }
  void setUserEnabledMkldnn(bool enabled) { uses_mkldnn_ = enabled; }
  CudnnSettings& cudnn() { return cudnn_; }

 private:
  CudnnSettings cudnn_;
  std::atomic<bool> is_deterministic_{false}, only_warns_{false}, allow_tf32_products_{false},
      fills_memory_{true}, uses_mkldnn_{true};
  std::atomic<Float32MatmulPrecision> precision_{Float32MatmulPrecision::highest};
  std::atomic<BlasBackend> blas_{BlasBackend::automatic};
};

Context& globalContext();

}  // namespace at
