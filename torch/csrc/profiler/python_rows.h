#pragma once
// A profile as Python tuples.

#include <Python.h>

#include <ATen/core/profiler/Collector.h>

namespace torch::profiler {

// (start, end, wall start, run, [(thread, its number, first, [row], [memory change])]), times in
// nanoseconds. range_id(run, number, first + k) is the id of row k for listeners.
//   row: (name, overload, kind, parent, start, end, memory, GPU memory, sequence_nr, forward
//   thread,
//         flops, (shapes, strides, types, values) or None, (frame, ...) or None,
//         (module, ...) or None)
//   memory change: (time, address, bytes, allocated, the innermost open range or -1, GPU or -1,
//                   reserved)
// `options`: what the profile asked for.
PyObject* rows_of(const at::profiler::Profile& profile, uint32_t options);

}  // namespace torch::profiler
