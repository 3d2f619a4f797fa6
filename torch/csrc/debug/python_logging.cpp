// Switches and sink of the C++ log lines, for torch._logging.

#include <torch/csrc/Module.h>

#include <c10/util/Logging.h>
#include <torch/csrc/gil.h>

namespace torch {
namespace {

// _log_configure(artifacts, format, file): bits of c10::LogArtifact, format of a line or "",
// descriptor or -1.
PyObject* configure(PyObject*, PyObject* args) {
  unsigned int artifacts;
  const char* format;
  int file;
  if (!PyArg_ParseTuple(args, "Isi", &artifacts, &format, &file)) return nullptr;
  c10::set_log_sink(format, file);
  c10::set_log_artifacts(artifacts);
  Py_RETURN_NONE;
}

// _log_write(file, text): one write(2) that no buffer delays.
PyObject* write(PyObject*, PyObject* args) {
  int file;
  const char* text;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "is#", &file, &text, &size)) return nullptr;
  std::string whole(text, static_cast<size_t>(size));
  {
    gil_scoped_release released;
    c10::write_whole(file, whole);
  }
  Py_RETURN_NONE;
}

}  // namespace
}  // namespace torch

// What valgrind's --toggle-collect watches: it counts the instructions of this call and of nothing
// else.
extern "C" __attribute__((visibility("default"), noinline)) PyObject* torch_counted_region(
    PyObject* callable) {
  PyObject* result = PyObject_CallNoArgs(callable);
  asm volatile("" : : "r"(result) : "memory");  // no tail call: the region ends here
  return result;
}

namespace torch {
namespace {

PyObject* counted(PyObject*, PyObject* callable) { return torch_counted_region(callable); }

PyMethodDef functions[] = {
    {"_log_configure", configure, METH_VARARGS,
     "Which C++ log lines are written, in which format, and to which file beside stderr."},
    {"_log_write", write, METH_VARARGS, "Writes a text to a file descriptor as a whole."},
    {"_run_counted", counted, METH_O,
     "Calls the argument; callgrind counts the instructions of this call."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_logging(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace torch
