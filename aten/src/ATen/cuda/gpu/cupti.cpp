// The functions of the real CUPTI, and a comparison of CuptiApi.h with its header.

#include <ATen/cuda/CuptiApi.h>
#include <ATen/cuda/SameSignature.h>
#include <ATen/cuda/VendorLibrary.h>

#if __has_include(<cupti.h>)
#include <cupti.h>
#define AT_CUPTI_VALUE(name, value) \
  static_assert(static_cast<int>(at::cuda::cupti::name) == static_cast<int>(value))
AT_CUPTI_VALUE(kSuccess, CUPTI_SUCCESS);
AT_CUPTI_VALUE(kNoMoreRecords, CUPTI_ERROR_MAX_LIMIT_REACHED);
AT_CUPTI_VALUE(kCopy, CUPTI_ACTIVITY_KIND_MEMCPY);
AT_CUPTI_VALUE(kFill, CUPTI_ACTIVITY_KIND_MEMSET);
AT_CUPTI_VALUE(kDriver, CUPTI_ACTIVITY_KIND_DRIVER);
AT_CUPTI_VALUE(kRuntime, CUPTI_ACTIVITY_KIND_RUNTIME);
AT_CUPTI_VALUE(kKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
AT_CUPTI_VALUE(kPeerCopy, CUPTI_ACTIVITY_KIND_MEMCPY2);
AT_CUPTI_VALUE(kExternalCorrelation, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
AT_CUPTI_VALUE(kCustomIds, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
AT_CUPTI_VALUE(kSystemThreadIds, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
AT_CUPTI_VALUE(kForcedFlush, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
AT_CUPTI_VALUE(kDriverDomain, CUPTI_CB_DOMAIN_DRIVER_API);
AT_CUPTI_VALUE(kRuntimeDomain, CUPTI_CB_DOMAIN_RUNTIME_API);
AT_CUPTI_VALUE(kLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
AT_CUPTI_VALUE(kLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
AT_CUPTI_VALUE(kHostToDevice, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
AT_CUPTI_VALUE(kDeviceToHost, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
AT_CUPTI_VALUE(kDeviceToDevice, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
AT_CUPTI_VALUE(kHostToHost, CUPTI_ACTIVITY_MEMCPY_KIND_HTOH);
AT_CUPTI_VALUE(kPeerToPeer, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
AT_CUPTI_VALUE(kPageable, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
AT_CUPTI_VALUE(kPinned, CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
AT_CUPTI_VALUE(kDevice, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
#undef AT_CUPTI_VALUE

#define AT_CUPTI_MEMBER(record, member, theirs, name)                                  \
  static_assert(offsetof(at::cuda::cupti::record, member) == offsetof(theirs, name) && \
                sizeof(at::cuda::cupti::record::member) == sizeof(std::declval<theirs&>().name))
AT_CUPTI_MEMBER(Record, kind, CUpti_Activity, kind);
using TheirKernel = CUpti_ActivityKernel9;  // later ones add members behind its last
AT_CUPTI_MEMBER(KernelRecord, registers, TheirKernel, registersPerThread);
AT_CUPTI_MEMBER(KernelRecord, start, TheirKernel, start);
AT_CUPTI_MEMBER(KernelRecord, end, TheirKernel, end);
AT_CUPTI_MEMBER(KernelRecord, device, TheirKernel, deviceId);
AT_CUPTI_MEMBER(KernelRecord, context, TheirKernel, contextId);
AT_CUPTI_MEMBER(KernelRecord, stream, TheirKernel, streamId);
static_assert(offsetof(at::cuda::cupti::KernelRecord, grid) == offsetof(TheirKernel, gridX));
static_assert(offsetof(at::cuda::cupti::KernelRecord, block) == offsetof(TheirKernel, blockX));
AT_CUPTI_MEMBER(KernelRecord, static_shared_memory, TheirKernel, staticSharedMemory);
AT_CUPTI_MEMBER(KernelRecord, dynamic_shared_memory, TheirKernel, dynamicSharedMemory);
AT_CUPTI_MEMBER(KernelRecord, correlation, TheirKernel, correlationId);
AT_CUPTI_MEMBER(KernelRecord, name, TheirKernel, name);
using TheirCopy = CUpti_ActivityMemcpy5;
AT_CUPTI_MEMBER(CopyRecord, copy_kind, TheirCopy, copyKind);
AT_CUPTI_MEMBER(CopyRecord, from_memory, TheirCopy, srcKind);
AT_CUPTI_MEMBER(CopyRecord, to_memory, TheirCopy, dstKind);
AT_CUPTI_MEMBER(CopyRecord, bytes, TheirCopy, bytes);
AT_CUPTI_MEMBER(CopyRecord, start, TheirCopy, start);
AT_CUPTI_MEMBER(CopyRecord, end, TheirCopy, end);
AT_CUPTI_MEMBER(CopyRecord, device, TheirCopy, deviceId);
AT_CUPTI_MEMBER(CopyRecord, context, TheirCopy, contextId);
AT_CUPTI_MEMBER(CopyRecord, stream, TheirCopy, streamId);
AT_CUPTI_MEMBER(CopyRecord, correlation, TheirCopy, correlationId);
using TheirPeerCopy = CUpti_ActivityMemcpyPtoP4;
AT_CUPTI_MEMBER(PeerCopyRecord, copy_kind, TheirPeerCopy, copyKind);
AT_CUPTI_MEMBER(PeerCopyRecord, from_memory, TheirPeerCopy, srcKind);
AT_CUPTI_MEMBER(PeerCopyRecord, to_memory, TheirPeerCopy, dstKind);
AT_CUPTI_MEMBER(PeerCopyRecord, bytes, TheirPeerCopy, bytes);
AT_CUPTI_MEMBER(PeerCopyRecord, start, TheirPeerCopy, start);
AT_CUPTI_MEMBER(PeerCopyRecord, end, TheirPeerCopy, end);
AT_CUPTI_MEMBER(PeerCopyRecord, device, TheirPeerCopy, deviceId);
AT_CUPTI_MEMBER(PeerCopyRecord, context, TheirPeerCopy, contextId);
AT_CUPTI_MEMBER(PeerCopyRecord, stream, TheirPeerCopy, streamId);
AT_CUPTI_MEMBER(PeerCopyRecord, correlation, TheirPeerCopy, correlationId);
using TheirFill = CUpti_ActivityMemset4;
AT_CUPTI_MEMBER(FillRecord, bytes, TheirFill, bytes);
AT_CUPTI_MEMBER(FillRecord, start, TheirFill, start);
AT_CUPTI_MEMBER(FillRecord, end, TheirFill, end);
AT_CUPTI_MEMBER(FillRecord, device, TheirFill, deviceId);
AT_CUPTI_MEMBER(FillRecord, context, TheirFill, contextId);
AT_CUPTI_MEMBER(FillRecord, stream, TheirFill, streamId);
AT_CUPTI_MEMBER(FillRecord, correlation, TheirFill, correlationId);
AT_CUPTI_MEMBER(FillRecord, memory, TheirFill, memoryKind);
AT_CUPTI_MEMBER(CallRecord, function, CUpti_ActivityAPI, cbid);
AT_CUPTI_MEMBER(CallRecord, start, CUpti_ActivityAPI, start);
AT_CUPTI_MEMBER(CallRecord, end, CUpti_ActivityAPI, end);
AT_CUPTI_MEMBER(CallRecord, thread, CUpti_ActivityAPI, threadId);
AT_CUPTI_MEMBER(CallRecord, correlation, CUpti_ActivityAPI, correlationId);
AT_CUPTI_MEMBER(ExternalRecord, id_kind, CUpti_ActivityExternalCorrelation, externalKind);
AT_CUPTI_MEMBER(ExternalRecord, id, CUpti_ActivityExternalCorrelation, externalId);
AT_CUPTI_MEMBER(ExternalRecord, correlation, CUpti_ActivityExternalCorrelation, correlationId);
#undef AT_CUPTI_MEMBER

using Ours = at::cuda::cupti::Functions;
AT_SAME_SIGNATURE(Ours::result_string, cuptiGetResultString);
AT_SAME_SIGNATURE(Ours::set_thread_id_type, cuptiSetThreadIdType);
AT_SAME_SIGNATURE(Ours::register_clock, cuptiActivityRegisterTimestampCallback);
AT_SAME_SIGNATURE(Ours::register_callbacks, cuptiActivityRegisterCallbacks);
AT_SAME_SIGNATURE(Ours::enable, cuptiActivityEnable);
AT_SAME_SIGNATURE(Ours::disable, cuptiActivityDisable);
AT_SAME_SIGNATURE(Ours::enable_runtime_call, cuptiActivityEnableRuntimeApi);
AT_SAME_SIGNATURE(Ours::enable_driver_call, cuptiActivityEnableDriverApi);
AT_SAME_SIGNATURE(Ours::push_id, cuptiActivityPushExternalCorrelationId);
AT_SAME_SIGNATURE(Ours::pop_id, cuptiActivityPopExternalCorrelationId);
AT_SAME_SIGNATURE(Ours::flush, cuptiActivityFlushAll);
AT_SAME_SIGNATURE(Ours::next_record, cuptiActivityGetNextRecord);
AT_SAME_SIGNATURE(Ours::dropped_records, cuptiActivityGetNumDroppedRecords);
AT_SAME_SIGNATURE(Ours::function_name, cuptiGetCallbackName);
#endif

namespace at::cuda::cupti {

static Functions open() {
  void* library = open_vendor_library("libcupti.so.13", "nvidia-cuda-cupti");
  Functions f;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(vendor_function(library, name));
  };
  find(f.result_string, "cuptiGetResultString");
  find(f.set_thread_id_type, "cuptiSetThreadIdType");
  find(f.register_clock, "cuptiActivityRegisterTimestampCallback");
  find(f.register_callbacks, "cuptiActivityRegisterCallbacks");
  find(f.enable, "cuptiActivityEnable");
  find(f.disable, "cuptiActivityDisable");
  find(f.enable_runtime_call, "cuptiActivityEnableRuntimeApi");
  find(f.enable_driver_call, "cuptiActivityEnableDriverApi");
  find(f.push_id, "cuptiActivityPushExternalCorrelationId");
  find(f.pop_id, "cuptiActivityPopExternalCorrelationId");
  find(f.flush, "cuptiActivityFlushAll");
  find(f.next_record, "cuptiActivityGetNextRecord");
  find(f.dropped_records, "cuptiActivityGetNumDroppedRecords");
  find(f.function_name, "cuptiGetCallbackName");
  return f;
}

const Functions& functions() {
  static const Functions opened = open();
  return opened;
}

}  // namespace at::cuda::cupti
