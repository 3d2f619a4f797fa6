#pragma once
// What every test of c10 includes, compiled once. GoogleTest is most of it.

#include <gtest/gtest.h>

#include <c10/util/Exception.h>
