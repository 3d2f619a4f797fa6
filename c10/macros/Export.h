#pragma once
// Macros that mark a library's exports.

#include <c10/macros/Macros.h>
