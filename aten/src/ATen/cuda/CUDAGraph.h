#pragma once
// A CUDA graph: work that a stream was given once, to be run again with one call.
//
// Memory that the captured work allocates comes from a private pool
// (c10/cuda/CUDACachingAllocator.h), so that its addresses stay the graph's own. Random numbers are
// new in each replay: the kernels read seed and offset from the device, where replay() writes them.

#include <memory>
#include <string>
#include <vector>

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDACachingAllocator.h>

namespace at::cuda {

C10_API c10::cuda::MempoolId graph_pool_handle();

class C10_API CUDAGraph {
 public:
  // keep_graph: the graph stays, to be inspected or instantiated later.
  explicit CUDAGraph(bool keep_graph = false) : keeps_graph_(keep_graph) {}
  ~CUDAGraph();
  CUDAGraph(const CUDAGraph&) = delete;
  CUDAGraph& operator=(const CUDAGraph&) = delete;

  // From here on the current stream, which must not be the default one, keeps its work for the
  // graph. A pool of (0, 0) is a new one.
  void capture_begin(c10::cuda::MempoolId pool, cudaStreamCaptureMode mode);
  void capture_end();
  void instantiate();
  // Runs the work on the current stream.
  void replay();
  void reset();
  c10::cuda::MempoolId pool() const;
  // Before the capture: a generator other than the default one that captured work draws from.
  void register_generator_state(const Generator& generator);
  cudaGraph_t raw_graph() const;
  cudaGraphExec_t raw_executable() const;
  // Writes the graph in the language of Graphviz.
  void debug_dump(const std::string& path);
  void enable_debug_mode() { keeps_graph_ = true; }

 private:
  struct Random {
    Generator generator;
    std::shared_ptr<void> memory;  // of `state.replay`
    GraphRandomState state;
  };
  void release_generators();
  void end_pool();

  bool keeps_graph_;
  bool has_pool_ = false, is_captured_ = false;
  c10::cuda::MempoolId pool_{0, 0};
  c10::DeviceIndex device_ = -1;
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
  std::vector<std::unique_ptr<Random>> random_;
};

}  // namespace at::cuda
