// PyInit__C, and nothing else: the extension is libtorch_python.

#include <Python.h>

// The extension module does nothing itself: everything is in libtorch_python.
extern PyObject* initModule(void);

PyMODINIT_FUNC PyInit__C(void) { return initModule(); }
