#pragma once
// The dispatch keys: the one list that generates enum, names, numbers and order. A new key is one
// more line here.
//
// Note [Dispatch keys]
// A key set is one word with two parts. Backends say where memory is; functionalities say what a
// call passes through, lowest priority first. A functionality marked PER_BACKEND has a key for each
// backend: Dense with CPU is the key CPU, Sparse with CUDA is SparseCUDA, and AutogradFunctionality
// with CPU is AutogradCPU. So 16 backends and 47 functionalities, 137 keys, fit into 63 bits. The
// order is PyTorch's, which has no key of its own for forward mode.

// _(prefix, backend)
#define C10_FORALL_BACKENDS(_, prefix) \
  _(prefix, CPU)                       \
  _(prefix, CUDA)                      \
  _(prefix, HIP)                       \
  _(prefix, XLA)                       \
  _(prefix, MPS)                       \
  _(prefix, IPU)                       \
  _(prefix, XPU)                       \
  _(prefix, HPU)                       \
  _(prefix, VE)                        \
  _(prefix, Lazy)                      \
  _(prefix, MTIA)                      \
  _(prefix, MAIA)                      \
  _(prefix, PrivateUse1)               \
  _(prefix, PrivateUse2)               \
  _(prefix, PrivateUse3)               \
  _(prefix, Meta)

// KEY(name), PER_BACKEND(name, prefix of its keys)
#define C10_FORALL_FUNCTIONALITIES(KEY, PER_BACKEND) \
  PER_BACKEND(Dense, )                               \
  KEY(FPGA)                                          \
  KEY(Vulkan)                                        \
  KEY(Metal)                                         \
  PER_BACKEND(Quantized, Quantized)                  \
  KEY(CustomRNGKeyId)                                \
  KEY(MkldnnCPU)                                     \
  PER_BACKEND(Sparse, Sparse)                        \
  PER_BACKEND(SparseCsr, SparseCsr)                  \
  PER_BACKEND(NestedTensor, NestedTensor)            \
  KEY(BackendSelect)                                 \
  KEY(Fake)                                          \
  KEY(Python)                                        \
  KEY(FuncTorchDynamicLayerBackMode)                 \
  KEY(Functionalize)                                 \
  KEY(Conjugate)                                     \
  KEY(Negative)                                      \
  KEY(ZeroTensor)                                    \
  KEY(ADInplaceOrView)                               \
  KEY(AutogradOther)                                 \
  PER_BACKEND(AutogradFunctionality, Autograd)       \
  KEY(AutogradNestedTensor)                          \
  KEY(ForwardGrad)                                   \
  KEY(Tracer)                                        \
  KEY(AutocastCPU)                                   \
  KEY(AutocastMTIA)                                  \
  KEY(AutocastMAIA)                                  \
  KEY(AutocastXPU)                                   \
  KEY(AutocastIPU)                                   \
  KEY(AutocastHPU)                                   \
  KEY(AutocastXLA)                                   \
  KEY(AutocastMPS)                                   \
  KEY(AutocastCUDA)                                  \
  KEY(AutocastPrivateUse1)                           \
  KEY(FuncTorchBatched)                              \
  KEY(BatchedNestedTensor)                           \
  KEY(FuncTorchVmapMode)                             \
  KEY(Batched)                                       \
  KEY(VmapMode)                                      \
  KEY(FuncTorchGradWrapper)                          \
  KEY(DeferredInit)                                  \
  KEY(PythonTLSSnapshot)                             \
  KEY(FuncTorchDynamicLayerFrontMode)                \
  KEY(TESTING_ONLY_GenericWrapper)                   \
  KEY(TESTING_ONLY_GenericMode)                      \
  KEY(PreDispatch)                                   \
  KEY(PythonDispatcher)

// Alias keys occur only in registrations; the dispatcher expands them to runtime keys.
#define C10_FORALL_ALIAS_KEYS(_) \
  _(Autograd)                    \
  _(CompositeImplicitAutograd)   \
  _(CompositeExplicitAutograd)
