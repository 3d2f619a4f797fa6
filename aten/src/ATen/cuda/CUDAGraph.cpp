// Capture and replay of CUDA graphs.

#include <ATen/cuda/CUDAGraph.h>

#include <algorithm>
#include <atomic>

#include <c10/cuda/impl/DeviceScope.h>

namespace at::cuda {

namespace allocator = c10::cuda::CUDACachingAllocator;
using c10::cuda::MempoolId;

MempoolId graph_pool_handle() {
  static std::atomic<uint64_t> next{1};
  return {0, next++};
}

void CUDAGraph::register_generator_state(const Generator& generator) {
  TORCH_CHECK(generator.device().is_cuda(),
              "register_generator_state(): expected a generator of a "
              "CUDA device, got one of ",
              generator.device());
  const auto* mine = generator.get<CUDAGeneratorImpl>();
  for (const auto& known : random_)
    if (known->generator.get<CUDAGeneratorImpl>()->shares_state_with(*mine)) return;
  auto random = std::make_unique<Random>();
  c10::cuda::impl::DeviceScope scope(generator.device().index());
  void* memory = allocator::raw_alloc(2 * sizeof(uint64_t));
  random->memory = {memory, [](void* p) { allocator::raw_delete(p); }};
  // The state that it has now, whatever state it takes later.
  random->generator = Generator(mine->share_state());
  random->state.replay = static_cast<const uint64_t*>(memory);
  random_.push_back(std::move(random));
}

void CUDAGraph::capture_begin(MempoolId pool, cudaStreamCaptureMode mode) {
  TORCH_CHECK(!graph_ && !executable_,
              "capture_begin(): this CUDAGraph has captured work already; call reset() first");
  auto stream = c10::cuda::getCurrentCUDAStream();
  TORCH_CHECK(
      stream.id() != 0,
      "capture_begin(): the default stream cannot be captured; make another one current, as "
      "torch.cuda.graph does (the replay may run on the default stream)");
  TORCH_CHECK(!c10::cuda::is_capturing(stream),
              "capture_begin(): this stream is being captured for another graph");
  device_ = stream.device_index();
  stream_ = stream;
  register_generator_state(default_cuda_generator(device_));
  pool_ = pool == MempoolId{0, 0} ? graph_pool_handle() : pool;
  for (const auto& random : random_) {
    auto* generator = random->generator.get<CUDAGeneratorImpl>();
    std::lock_guard<std::mutex> lock(generator->mutex_);
    random->state.drawn = 0;
    generator->begin_capture(&random->state);
  }
  try {
    // Until the stream is captured nobody else allocates from the pool.
    auto id = std::make_shared<std::atomic<unsigned long long>>(0);
    allocator::beginAllocateToPool(device_, pool_, [id](cudaStream_t asked) {
      const unsigned long long mine = *id;
      return mine != 0 && c10::cuda::capture_id(asked) == mine;
    });
    has_pool_ = is_captured_ = true;
    C10_CUDA_CHECK(cudaStreamBeginCapture(stream, mode));
    *id = c10::cuda::capture_id(stream);
  } catch (...) {
    end_pool();
    release_generators();
    throw;
  }
}

void CUDAGraph::end_pool() {
  if (std::exchange(is_captured_, false)) allocator::endAllocateToPool(device_, pool_);
}

void CUDAGraph::release_generators() {
  for (const auto& random : random_) {
    auto* generator = random->generator.get<CUDAGeneratorImpl>();
    std::lock_guard<std::mutex> lock(generator->mutex_);
    generator->end_capture();
  }
}

void CUDAGraph::capture_end() {
  TORCH_CHECK(is_captured_, "capture_end(): no capture of this CUDAGraph is under way");
  TORCH_CHECK(c10::cuda::getCurrentCUDAStream().stream() == stream_,
              "capture_end(): the current stream is not the one that the capture began on");
  const cudaError_t error = cudaStreamEndCapture(stream_, &graph_);
  end_pool();
  release_generators();
  if (error != cudaSuccess) graph_ = nullptr;
  C10_CUDA_CHECK(error);
  TORCH_CHECK(graph_, "capture_end(): the capture was ended by an error before");
  if (!keeps_graph_) instantiate();
}

void CUDAGraph::instantiate() {
  TORCH_CHECK(graph_,
              "instantiate(): this CUDAGraph has captured nothing, or did not keep its "
              "graph: make it with keep_graph=True");
  if (executable_) C10_CUDA_CHECK(cudaGraphExecDestroy(std::exchange(executable_, nullptr)));
  C10_CUDA_CHECK(cudaGraphInstantiate(&executable_, graph_, 0));
  if (!keeps_graph_) C10_CUDA_CHECK(cudaGraphDestroy(std::exchange(graph_, nullptr)));
}

void CUDAGraph::replay() {
  if (!executable_ && graph_) instantiate();
  TORCH_CHECK(executable_, "replay(): this CUDAGraph has captured nothing yet");
  c10::cuda::impl::DeviceScope scope(device_);
  auto stream = c10::cuda::getCurrentCUDAStream();
  for (const auto& random : random_) {
    if (random->state.drawn == 0) continue;
    auto* generator = random->generator.get<CUDAGeneratorImpl>();
    PhiloxState state;
    {
      std::lock_guard<std::mutex> lock(generator->mutex_);
      state = generator->replay(random->state.drawn);
    }
    const uint64_t values[2] = {state.seed, state.offset};
    C10_CUDA_CHECK(cudaMemcpyAsync(random->memory.get(), values, sizeof values,
                                   cudaMemcpyHostToDevice, stream));
  }
  C10_CUDA_CHECK(cudaGraphLaunch(executable_, stream));
}

void CUDAGraph::reset() {
  if (is_captured_) {
    C10_CUDA_IGNORE(cudaStreamEndCapture(stream_, &graph_));
    end_pool();
    release_generators();
  }
  if (graph_) C10_CUDA_IGNORE(cudaGraphDestroy(std::exchange(graph_, nullptr)));
  if (executable_) C10_CUDA_IGNORE(cudaGraphExecDestroy(std::exchange(executable_, nullptr)));
  if (std::exchange(has_pool_, false)) allocator::releasePool(device_, pool_);
  random_.clear();
}

CUDAGraph::~CUDAGraph() {
  try {
    reset();
  } catch (...) {  // the process ends, or the device has failed
  }
}

MempoolId CUDAGraph::pool() const {
  TORCH_CHECK(has_pool_, "pool(): this CUDAGraph has captured nothing yet");
  return pool_;
}

cudaGraph_t CUDAGraph::raw_graph() const {
  TORCH_CHECK(keeps_graph_ && graph_,
              "raw_cuda_graph(): the graph is there after a capture with keep_graph=True only");
  return graph_;
}
cudaGraphExec_t CUDAGraph::raw_executable() const {
  TORCH_CHECK(executable_, "raw_cuda_graph_exec(): this CUDAGraph was not instantiated yet");
  return executable_;
}

void CUDAGraph::debug_dump(const std::string& path) {
  C10_CUDA_CHECK(cudaGraphDebugDotPrint(raw_graph(), path.c_str(), 1 << 10));
}

}  // namespace at::cuda
