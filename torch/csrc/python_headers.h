#pragma once
// Python.h, which wants to come first.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
