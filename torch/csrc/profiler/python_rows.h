#pragma once
// A profile as Python tuples.

#include <Python.h>

#include <ATen/core/profiler/Collector.h>

namespace torch::profiler {

// (start, end, wall start, [(thread, its number, [row], [memory change])]), times in nanoseconds.
//   row: (name, overload, kind, parent, start, end, memory, sequence_nr, forward thread, flops,
//         (shapes, strides, types, values) or None, (frame, ...) or None, (module, ...) or None)
//   memory change: (time, address, bytes, allocated, the innermost open range or -1)
// `options`: what the profile asked for.
PyObject* rows_of(const at::profiler::Profile& profile, uint32_t options);

}  // namespace torch::profiler
