#pragma once
#include <c10/core/SymInt.h>
