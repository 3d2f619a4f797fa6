#pragma once
// Includes Python.h, which must come before standard headers.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
