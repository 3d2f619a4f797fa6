#pragma once
// A collective of NCCL under way: its end on the device, and the tensors that it works on.

#include <torch/csrc/distributed/c10d/nccl/ProcessGroupNCCL.h>

namespace c10d {

namespace nccl {
// Throws DistBackendError for an error code of `call`.
void check(Result result, Comm comm, const char* call);
}  // namespace nccl

class NcclWork final : public Work {
 public:
  NcclWork(ProcessGroupNCCL& group, std::string description, Milliseconds timeout,
           c10::cuda::CUDAStream stream, nccl::Comm comm);
  ~NcclWork() override;

  bool is_completed() override;
  bool wait(Milliseconds timeout) override;
  void abort() override;

  void record(c10::cuda::CUDAStream stream);
  cudaEvent_t event() const { return ended_on_device_; }
  nccl::Result failed_on_device() const;
  // Drops the tensors.
  void release();
  bool has_callbacks();

  nccl::Comm comm() const { return comm_; }
  const std::string& description() const { return description_; }
  Milliseconds timeout() const { return timeout_; }
  Clock::time_point deadline() const { return deadline_; }

  // Whether wait() waits on the host, and raises the error.
  bool blocks_host() const { return blocks_host_; }
  void block_host() { blocks_host_ = true; }

  Tensors used;

 private:
  bool has_ended_on_device();

  std::weak_ptr<ProcessGroupNCCL> group_;
  nccl::Comm comm_;
  std::atomic<bool> blocks_host_;
  c10::Device device_;
  std::string description_;
  Milliseconds timeout_;
  Clock::time_point deadline_;
  cudaEvent_t ended_on_device_ = nullptr;
};

}  // namespace c10d
