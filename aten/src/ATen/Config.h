#pragma once
// What this build is and has, in words.

#include <string>

namespace at {

std::string show_config();
std::string get_parallel_info();
std::string get_cxx_flags();
std::string get_cpu_capability();  // "AVX512"

}  // namespace at
