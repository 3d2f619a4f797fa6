// DLPack: tensors shared with other libraries, both ways, in the form with a version and in the one
// before it.

#include <torch/csrc/DLPack.h>

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/gil.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/tensor/tensor_new.h>

#include <cstring>

namespace torch {
namespace dlpack {

using at::ScalarType;
using at::Tensor;

DLDevice to_dl(at::Device d) {
  TORCH_CHECK_VALUE(d.is_cpu() || d.is_cuda(), "to_dlpack(): DLPack does not know the device ", d);
  return d.is_cpu() ? DLDevice{kDLCPU, 0} : DLDevice{kDLCUDA, d.index()};
}

at::Device from_dl(DLDevice d) {
  if (d.device_type == kDLCPU || d.device_type == kDLCUDAHost) return at::kCPU;
  TORCH_CHECK(d.device_type == kDLCUDA || d.device_type == kDLCUDAManaged,
              "from_dlpack: device type ", d.device_type, " is not supported in this build");
  const auto* impl = c10::impl::getDeviceGuardImpl(at::kCUDA);
  TORCH_CHECK(d.device_id >= 0 && d.device_id < impl->deviceCount(),
              "from_dlpack: cuda:", d.device_id,
              ": there is no device of that number; this process sees ",
              static_cast<int>(impl->deviceCount()));
  return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(d.device_id));
}

static uint8_t float8_code(ScalarType t) {
  switch (t) {
    case ScalarType::Float8_e4m3fn:
      return kDLFloat8_e4m3fn;
    case ScalarType::Float8_e4m3fnuz:
      return kDLFloat8_e4m3fnuz;
    case ScalarType::Float8_e5m2:
      return kDLFloat8_e5m2;
    case ScalarType::Float8_e5m2fnuz:
      return kDLFloat8_e5m2fnuz;
    default:
      return kDLFloat8_e8m0fnu;
  }
}

// Bytes of numbers narrower than a byte go out as numbers of one byte.
DLDataType to_dl(ScalarType t) {
  auto bits = static_cast<uint8_t>(8 * at::elementSize(t));
  if (t == at::kBool) return {kDLBool, 8, 1};
  if (t == at::kBFloat16) return {kDLBfloat, 16, 1};
  if (t == ScalarType::Float4_e2m1fn_x2) return {kDLFloat4_e2m1fn, 4, 2};
  if (at::isFloat8Type(t)) return {float8_code(t), 8, 1};
  if (c10::detail::in(t, c10::detail::kBitsTypes)) {
    PyErr_Format(PyExc_BufferError,
                 "DLPack has no type of bits without a meaning, such as torch.%s",
                 at::dtypeName(t));
    throw python_error();
  }
  if (at::isComplexType(t)) return {kDLComplex, bits, 1};
  if (at::isFloatingType(t)) return {kDLFloat, bits, 1};
  return {at::isSignedType(t) ? kDLInt : kDLUInt, bits, 1};
}

ScalarType from_dl(DLDataType d) {
  if (d.code == kDLFloat4_e2m1fn && d.bits == 4 && d.lanes == 2)
    return ScalarType::Float4_e2m1fn_x2;
  TORCH_CHECK(d.lanes == 1, "from_dlpack: lanes != 1 is not supported, got ", d.lanes);
  for (int i = 0; i < static_cast<int>(ScalarType::NumOptions); ++i) {
    auto t = static_cast<ScalarType>(i);
    if (at::elementSize(t) == 0 || at::isStorageType(t)) continue;
    DLDataType mine = to_dl(t);
    if (mine.code == d.code && mine.bits == d.bits) return t;
  }
  TORCH_CHECK(false, "from_dlpack: unsupported type with code ", static_cast<int>(d.code), " and ",
              static_cast<int>(d.bits), " bits");
}

namespace {

// What an exported tensor hangs on: the bytes, and not the tensor, which can be pointed at others.
template <typename Managed>
struct Exported {
  at::Storage storage;
  at::DimVector shape, strides;
  Managed managed;
};

template <typename Managed>
Managed* make_export(const Tensor& t) {
  TORCH_CHECK(!t.is_conj() && !t.is_neg(),
              "to_dlpack: the memory of a conjugate or negated view holds other numbers than its "
              "elements; export resolve_conj() or resolve_neg() of it");
  const DLDevice device = to_dl(t.device());
  const DLDataType dtype = to_dl(t.scalar_type());
  auto* e =
      new Exported<Managed>{t.storage(), at::DimVector(t.sizes()), at::DimVector(t.strides()), {}};
  e->storage.unsafeGetStorageImpl()->set_resizable(false);  // the importer points into the bytes
  // A dimension of size 1 may have any stride; give the one that others expect.
  for (size_t d = 0; d < e->shape.size(); ++d) {
    if (e->shape[d] < 2) e->strides[d] = 1;
  }
  DLTensor& dl = e->managed.dl_tensor;
  dl = {t.numel() ? t.data_ptr() : nullptr,
        device,
        static_cast<int32_t>(t.dim()),
        dtype,
        e->shape.data(),
        e->strides.data(),
        0};
  e->managed.manager_ctx = e;
  e->managed.deleter = [](Managed* m) { delete static_cast<Exported<Managed>*>(m->manager_ctx); };
  return &e->managed;
}

template <typename Managed>
void drop_capsule(PyObject* capsule, const char* name) {
  // A capsule that was taken has another name.
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* m = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (m->deleter) m->deleter(m);
}

// _to_dlpack(tensor), _to_dlpack_versioned(tensor)
PyObject* to_dlpack(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(THPVariable_Check(o), "to_dlpack(): expected a Tensor, got ",
                     Py_TYPE(o)->tp_name);
    const Tensor& t = THPVariable_Unpack(o);
    return PyCapsule_New(make_export<DLManagedTensor>(t), "dltensor",
                         [](PyObject* c) { drop_capsule<DLManagedTensor>(c, "dltensor"); });
  });
}
PyObject* to_dlpack_versioned(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(THPVariable_Check(o), "to_dlpack(): expected a Tensor, got ",
                     Py_TYPE(o)->tp_name);
    const Tensor& t = THPVariable_Unpack(o);
    return PyCapsule_New(export_tensor(t), "dltensor_versioned", [](PyObject* c) {
      drop_capsule<DLManagedTensorVersioned>(c, "dltensor_versioned");
    });
  });
}

// Checks what a producer says, and makes a tensor that gives the memory back when it dies.
Tensor import(const DLTensor& dl, void* managed, c10::DeleterFnPtr release) {
  const at::Device device = from_dl(dl.device);
  TORCH_CHECK(dl.ndim >= 0 && dl.ndim <= 64, "from_dlpack: ", dl.ndim, " dimensions");
  TORCH_CHECK(dl.ndim == 0 || dl.shape, "from_dlpack: the shape is missing");
  ScalarType dtype = from_dl(dl.dtype);
  at::DimVector sizes(dl.shape, dl.shape + dl.ndim);
  for (int64_t s : sizes) TORCH_CHECK(s >= 0, "from_dlpack: a size must not be negative, got ", s);
  int64_t numel = c10::checked_numel(sizes, "from_dlpack");
  at::DimVector strides =
      dl.strides ? at::DimVector(dl.strides, dl.strides + dl.ndim) : c10::contiguous_strides(sizes);
  for (size_t d = 0; d < strides.size(); ++d) {
    if (sizes[d] < 2) strides[d] = 1;
    TORCH_CHECK(strides[d] >= 0 || numel == 0,
                "from_dlpack: negative strides are not supported, got ", strides[d]);
  }
  size_t nbytes = c10::checked_nbytes(sizes, strides, 0, at::elementSize(dtype), "from_dlpack");
  TORCH_CHECK(dl.data || nbytes == 0, "from_dlpack: the data pointer is null for ", nbytes,
              " bytes");
  char* data = static_cast<char*>(dl.data) + (dl.data ? dl.byte_offset : 0);
  at::Storage storage = at::Storage::from_blob(data, nbytes, managed, release, device);
  auto impl = c10::make_intrusive<c10::TensorImpl>(
      std::move(storage), c10::computeDispatchKey(device.type()), dtype, device);
  impl->set_sizes_and_strides(sizes, strides);
  return Tensor(std::move(impl));
}

template <typename Managed>
void release_managed(void* context) {
  auto* m = static_cast<Managed*>(context);
  if (!m->deleter) return;
  // A producer written in Python needs the GIL to free its memory.
  if (!Py_IsInitialized()) return;
  gil_scoped_acquire gil;
  m->deleter(m);
}

}  // namespace

DLManagedTensorVersioned* export_tensor(const Tensor& t) {
  auto* m = make_export<DLManagedTensorVersioned>(t);
  m->version = {1, 0};
  m->flags = 0;
  return m;
}

Tensor import_tensor(DLManagedTensorVersioned* m) {
  TORCH_CHECK(m->version.major == 1, "from_dlpack: DLPack version ", m->version.major,
              " is not supported");
  return import(m->dl_tensor, m, release_managed<DLManagedTensorVersioned>);
}

namespace {

// _from_dlpack(capsule)
PyObject* from_dlpack(PyObject*, PyObject* capsule) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(PyCapsule_CheckExact(capsule),
                     "from_dlpack(): expected a DLPack capsule, got ", Py_TYPE(capsule)->tp_name);
    Tensor t;
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
      auto* m = static_cast<DLManagedTensorVersioned*>(
          PyCapsule_GetPointer(capsule, "dltensor_versioned"));
      t = import_tensor(m);
      PyCapsule_SetName(capsule, "used_dltensor_versioned");
    } else {
      TORCH_CHECK(PyCapsule_IsValid(capsule, "dltensor"),
                  "from_dlpack received an invalid capsule. Note that DLTensor capsules can be "
                  "consumed only once, so you might have already constructed a tensor from it "
                  "once.");
      auto* m = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
      t = import(m->dl_tensor, m, release_managed<DLManagedTensor>);
      PyCapsule_SetName(capsule, "used_dltensor");
    }
    return THPVariable_Wrap(t);
  });
}

PyMethodDef functions[] = {{"_to_dlpack", to_dlpack, METH_O, nullptr},
                           {"_to_dlpack_versioned", to_dlpack_versioned, METH_O, nullptr},
                           {"_from_dlpack", from_dlpack, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace
}  // namespace dlpack

bool init_dlpack(PyObject* module) {
  THPObjectPtr api(dlpack::exchange_api());
  return api && PyModule_AddFunctions(module, dlpack::functions) == 0 &&
         PyModule_AddObjectRef(module, "_dlpack_exchange_api", api.get()) == 0;
}

}  // namespace torch
