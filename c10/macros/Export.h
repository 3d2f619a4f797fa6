#pragma once
// Macros that mark what a library exports.

#include <c10/macros/Macros.h>
