#pragma once
// What is written to standard error after a fatal signal: the running operators, the Python stack
// and the C++ stack.

namespace at {

// Reports SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT from now on, then lets them end the process
// as they would have. `python_stack` writes the calling thread's Python stack to a file
// descriptor, from within a signal handler; may be null. A handler set by anything other than
// `interpreter` (an address inside the Python interpreter, whose faulthandler passes signals on)
// is left in place.
void install_crash_report(void (*python_stack)(int fd), const void* interpreter);

// Records running operators and their arguments for the report. Costs each call some
// nanoseconds.
void observe_for_crash_report(bool on);

}  // namespace at
