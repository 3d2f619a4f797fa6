#pragma once
// The structures of the DLPack standard (dlpack.h, version 1.3), and what makes tensors of them.

#include <ATen/core/Tensor.h>
#include <torch/csrc/python_headers.h>

namespace torch::dlpack {

struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor dl_tensor;
};
// Memory of the host that a GPU reads, and memory that moves between both.
enum : int32_t { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 };
enum : uint8_t {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e4m3fnuz = 11,
  kDLFloat8_e5m2 = 12,
  kDLFloat8_e5m2fnuz = 13,
  kDLFloat8_e8m0fnu = 14,
  kDLFloat4_e2m1fn = 17
};

DLDevice to_dl(at::Device d);
DLDataType to_dl(at::ScalarType t);
at::Device from_dl(DLDevice d);
at::ScalarType from_dl(DLDataType d);

// The memory of a tensor, which it keeps.
DLManagedTensorVersioned* export_tensor(const at::Tensor& t);
// A tensor over the memory, which it gives back when it dies.
at::Tensor import_tensor(DLManagedTensorVersioned* m);

// A capsule of functions that other libraries call without Python.
PyObject* exchange_api();

}  // namespace torch::dlpack
