#pragma once
// Calls of the driver, those for virtual memory in a table. The runtime finds them in the driver
// that is installed, so that nothing links libcuda.

#include <cuda.h>

#include <c10/core/Device.h>
#include <c10/cuda/CUDAException.h>

namespace c10::cuda::impl {

// A function of the driver, as it is since that version of CUDA. False if the driver lacks it.
bool find_in_driver(const char* name, unsigned version, void*& function);
template <typename F>
bool find_in_driver(const char* name, unsigned version, F*& function) {
  void* found = nullptr;
  const bool is_there = find_in_driver(name, version, found);
  function = reinterpret_cast<F*>(found);
  return is_there;
}

struct DriverApi {
  decltype(&::cuGetErrorString) get_error_string;
  decltype(&::cuDeviceGetAttribute) device_get_attribute;
  decltype(&::cuMemGetAllocationGranularity) mem_get_allocation_granularity;
  decltype(&::cuMemAddressReserve) mem_address_reserve;
  decltype(&::cuMemAddressFree) mem_address_free;
  decltype(&::cuMemCreate) mem_create;
  decltype(&::cuMemRelease) mem_release;
  decltype(&::cuMemMap) mem_map;
  decltype(&::cuMemUnmap) mem_unmap;
  decltype(&::cuMemSetAccess) mem_set_access;
  decltype(&::cuMemExportToShareableHandle) mem_export;
  decltype(&::cuMemImportFromShareableHandle) mem_import;

  // Null if the driver lacks one of them.
  static const DriverApi* get();
  // The device reads and writes what is mapped there.
  void set_access(CUdeviceptr address, size_t bytes, DeviceIndex device) const;
  // Throws an AcceleratorError for another result than success.
  void check(CUresult result, const char* call) const;
};

}  // namespace c10::cuda::impl
