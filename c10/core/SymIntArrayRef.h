#pragma once
// Lists of sizes in signatures that PyTorch writes with SymInt.

#include <c10/core/SymInt.h>
