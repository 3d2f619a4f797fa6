// Asks the runtime for functions of the driver, once.

#include <c10/cuda/impl/DriverApi.h>

#include <c10/util/StringUtil.h>

namespace c10::cuda::impl {
namespace {

constexpr unsigned kVersion = 12000;  // of the calls in the table

template <typename F>
bool find(const char* name, F*& function) {
  return find_in_driver(name, kVersion, function);
}

bool find_all(DriverApi& api) {
  return find("cuGetErrorString", api.get_error_string) &&
         find("cuDeviceGetAttribute", api.device_get_attribute) &&
         find("cuMemGetAllocationGranularity", api.mem_get_allocation_granularity) &&
         find("cuMemAddressReserve", api.mem_address_reserve) &&
         find("cuMemAddressFree", api.mem_address_free) && find("cuMemCreate", api.mem_create) &&
         find("cuMemRelease", api.mem_release) && find("cuMemMap", api.mem_map) &&
         find("cuMemUnmap", api.mem_unmap) && find("cuMemSetAccess", api.mem_set_access) &&
         find("cuMemExportToShareableHandle", api.mem_export) &&
         find("cuMemImportFromShareableHandle", api.mem_import);
}

}  // namespace

bool find_in_driver(const char* name, unsigned version, void*& function) {
  function = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &status);
  if (error != cudaSuccess) (void)cudaGetLastError();
  return error == cudaSuccess && status == cudaDriverEntryPointSuccess && function;
}

const DriverApi* DriverApi::get() {
  static DriverApi api;
  static const bool has_all = find_all(api);
  return has_all ? &api : nullptr;
}

void DriverApi::set_access(CUdeviceptr address, size_t bytes, DeviceIndex device) const {
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  check(mem_set_access(address, bytes, &access, 1), "cuMemSetAccess");
}

void DriverApi::check(CUresult result, const char* call) const {
  if (C10_LIKELY(result == CUDA_SUCCESS)) return;
  const char* text = nullptr;
  get_error_string(result, &text);
  throw AcceleratorError(c10::str("CUDA error: ", text ? text : "unknown error", " (", call,
                                  " returned ", static_cast<int>(result), ")"),
                         static_cast<int>(result));
}

}  // namespace c10::cuda::impl
