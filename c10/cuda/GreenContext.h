#pragma once
// Green contexts: some of a GPU's multiprocessors, for work that shall not wait for other work.
//
// Work on a stream of such a context runs on its multiprocessors only. The streams belong to the
// device's usual context too, so that memory, events and libraries need to know nothing of this.

#include <vector>

#include <c10/cuda/CUDAStream.h>

struct CUgreenCtx_st;

namespace c10::cuda {

class C10_API GreenContext {
 public:
  struct Options {
    unsigned multiprocessors = 0;  // at least so many; 0: all
    // Queues between the host and the GPU: as the driver shares them out, or for this context.
    bool has_queues = false, is_balanced = false;
    unsigned max_concurrent =
        0;  // pieces of work at once that queues are made for; 0: the driver's
  };
  // Throws if the driver has no green contexts, or not of these options.
  GreenContext(DeviceIndex device, const Options& options);
  // Waits for the work of its streams, which end with it.
  ~GreenContext();
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  // Makes a stream of the context current in this thread, behind the work of the one before.
  void begin();
  // Makes the one before current again, behind the work of the context's.
  void end();
  // A new one.
  CUDAStream make_stream();

  // How many pieces of work at once queues can be made for.
  static unsigned max_concurrency(DeviceIndex device);

 private:
  DeviceIndex device_;
  CUgreenCtx_st* context_ = nullptr;
  std::vector<CUDAStream> streams_;  // the first one is that of begin()
  std::vector<CUDAStream> before_;
};

}  // namespace c10::cuda
