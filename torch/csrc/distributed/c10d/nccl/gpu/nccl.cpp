// The functions of the real NCCL.

#include <ATen/cuda/VendorLibrary.h>
#include <torch/csrc/distributed/c10d/nccl/NcclApi.h>

#if __has_include(<nccl.h>)
#include <nccl.h>
#define C10D_NCCL_VALUE(name, value) \
  static_assert(static_cast<int>(c10d::nccl::name) == static_cast<int>(value))
C10D_NCCL_VALUE(kSuccess, ncclSuccess);
C10D_NCCL_VALUE(kRemoteError, ncclRemoteError);
C10D_NCCL_VALUE(kInProgress, ncclInProgress);
C10D_NCCL_VALUE(kInt8, ncclInt8);
C10D_NCCL_VALUE(kUint8, ncclUint8);
C10D_NCCL_VALUE(kInt32, ncclInt32);
C10D_NCCL_VALUE(kUint32, ncclUint32);
C10D_NCCL_VALUE(kInt64, ncclInt64);
C10D_NCCL_VALUE(kUint64, ncclUint64);
C10D_NCCL_VALUE(kFloat16, ncclFloat16);
C10D_NCCL_VALUE(kFloat32, ncclFloat32);
C10D_NCCL_VALUE(kFloat64, ncclFloat64);
C10D_NCCL_VALUE(kBfloat16, ncclBfloat16);
C10D_NCCL_VALUE(kSum, ncclSum);
C10D_NCCL_VALUE(kProduct, ncclProd);
C10D_NCCL_VALUE(kMax, ncclMax);
C10D_NCCL_VALUE(kMin, ncclMin);
C10D_NCCL_VALUE(kAverage, ncclAvg);
static_assert(sizeof(c10d::nccl::UniqueId) == NCCL_UNIQUE_ID_BYTES);
#undef C10D_NCCL_VALUE
#endif

namespace c10d::nccl {

static Functions open() {
  void* library = at::cuda::open_vendor_library("libnccl.so.2", "nvidia-nccl-cu13");
  Functions f;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        at::cuda::vendor_function(library, name));
  };
  find(f.version, "ncclGetVersion");
  find(f.unique_id, "ncclGetUniqueId");
  find(f.init_rank, "ncclCommInitRank");
  find(f.destroy, "ncclCommDestroy");
  find(f.abort, "ncclCommAbort");
  find(f.async_error, "ncclCommGetAsyncError");
  find(f.error_string, "ncclGetErrorString");
  find(f.last_error, "ncclGetLastError");
  find(f.group_start, "ncclGroupStart");
  find(f.group_end, "ncclGroupEnd");
  find(f.all_reduce, "ncclAllReduce");
  find(f.broadcast, "ncclBroadcast");
  find(f.reduce, "ncclReduce");
  find(f.all_gather, "ncclAllGather");
  find(f.reduce_scatter, "ncclReduceScatter");
  find(f.send, "ncclSend");
  find(f.receive, "ncclRecv");
  f.set_timeout = nullptr;
  return f;
}

const Functions& functions() {
  static const Functions opened = open();
  return opened;
}

}  // namespace c10d::nccl
