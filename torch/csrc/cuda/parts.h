#pragma once
// The parts of the extension module torch._C._cuda.

#include <pybind11/pybind11.h>

namespace torch::cuda {

void init_compiler(pybind11::module& m);
void init_fft(pybind11::module& m);
void init_green_contexts(pybind11::module& m);
void init_graphs(pybind11::module& m);
void init_interop(pybind11::module& m);
void init_ipc(pybind11::module& m);
void init_memory(pybind11::module& m);
void init_nvtx(pybind11::module& m);
void init_profiler(pybind11::module& m);
void init_runtime(pybind11::module& m);

}  // namespace torch::cuda
