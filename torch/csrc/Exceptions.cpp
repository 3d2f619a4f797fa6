// Translation of C++ exceptions to Python's, and of C++ warnings to the warnings module.

#include <torch/csrc/Exceptions.h>

#include <new>
#include <string>

#include <c10/core/DeviceErrors.h>
#include <torch/csrc/gil.h>

namespace torch {

PyObject* THPException_LinAlgError = nullptr;
PyObject* THPException_OutOfMemoryError = nullptr;

python_error::python_error() { persist(); }

python_error::python_error(const python_error& o) {
  gil_scoped_acquire gil;
  type = THPObjectPtr::borrow(o.type.get());
  value = THPObjectPtr::borrow(o.value.get());
  traceback = THPObjectPtr::borrow(o.traceback.get());
}

python_error::~python_error() {
  if (!type && !value && !traceback) return;
  gil_scoped_acquire gil;
  type.reset();
  value.reset();
  traceback.reset();
}

void python_error::persist() {
  PyObject *t, *v, *tb;
  PyErr_Fetch(&t, &v, &tb);
  type.reset(t);
  value.reset(v);
  traceback.reset(tb);
}

void python_error::restore() {
  PyErr_Restore(type.release(), value.release(), traceback.release());
}

static void set_error(PyObject* type, const c10::Error& e) {
  PyErr_SetString(type, c10::get_cpp_stacktraces_enabled() ? e.what() : e.what_without_backtrace());
}

// torch.AcceleratorError, with the code of the device's runtime.
static void set_accelerator_error(const c10::AcceleratorError& e) {
  THPObjectPtr module(PyImport_ImportModule("torch"));
  THPObjectPtr type(module ? PyObject_GetAttrString(module.get(), "AcceleratorError") : nullptr);
  THPObjectPtr error(type ? PyObject_CallFunction(type.get(), "s", e.what_without_backtrace())
                          : nullptr);
  THPObjectPtr code(error ? PyLong_FromLong(e.code()) : nullptr);
  if (!code || PyObject_SetAttrString(error.get(), "error_code", code.get()) < 0) return;
  PyErr_SetObject(type.get(), error.get());
}

void translate_exception() {
  try {
    throw;
  } catch (python_error& e) {
    e.restore();
  } catch (const c10::IndexError& e) {
    set_error(PyExc_IndexError, e);
  } catch (const c10::ValueError& e) {
    set_error(PyExc_ValueError, e);
  } catch (const c10::TypeError& e) {
    set_error(PyExc_TypeError, e);
  } catch (const c10::NotImplementedError& e) {
    set_error(PyExc_NotImplementedError, e);
  } catch (const c10::DeviceOutOfMemoryError& e) {
    set_error(THPException_OutOfMemoryError, e);
  } catch (const c10::AcceleratorError& e) {
    set_accelerator_error(e);
  } catch (const c10::OutOfMemoryError& e) {
    set_error(PyExc_RuntimeError, e);
  } catch (const c10::LinAlgError& e) {
    set_error(THPException_LinAlgError ? THPException_LinAlgError : PyExc_RuntimeError, e);
  } catch (const c10::Error& e) {
    set_error(PyExc_RuntimeError, e);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an exception of unknown type");
  }
}

namespace {
// TORCH_WARN as warnings.warn with the line of the Python caller. A filter may turn it into an
// error.
struct PythonWarnings final : c10::WarningHandler {
  void process(const c10::Warning& warning) override {
    gil_scoped_acquire gil;
    PyObject* category = warning.category == c10::Warning::Deprecation ? PyExc_DeprecationWarning
                                                                       : PyExc_UserWarning;
    int failed = PyErr_Occurred() ? 0 : PyErr_WarnEx(category, warning.message.c_str(), 1);
    if (failed) throw python_error();
  }
};
}  // namespace

bool init_exceptions(PyObject* module) {
  static PythonWarnings warnings;
  c10::WarningUtils::set_base_warning_handler(&warnings);
  THPException_LinAlgError = PyErr_NewExceptionWithDoc(
      "torch._C._LinAlgError",
      "Raised when a matrix routine cannot give an answer (a singular matrix, say).",
      PyExc_RuntimeError, nullptr);
  THPException_OutOfMemoryError = PyErr_NewExceptionWithDoc(
      "torch.OutOfMemoryError", "Raised when a device has no memory left for a tensor.",
      PyExc_RuntimeError, nullptr);
  return THPException_LinAlgError && THPException_OutOfMemoryError &&
         PyModule_AddObjectRef(module, "_LinAlgError", THPException_LinAlgError) == 0 &&
         PyModule_AddObjectRef(module, "OutOfMemoryError", THPException_OutOfMemoryError) == 0;
}

}  // namespace torch
