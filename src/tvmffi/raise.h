// Errors of a function of tvm-ffi. Nothing is linked: libtvm_ffi is in the process that calls.
#pragma once

namespace hologram::tvmffi {

// The result of a function that has raised an error.
inline constexpr int kRaised = -1;

// Raises an error for the caller of this thread. In a process without libtvm_ffi, whose callers
// cannot ask for it, the message goes to standard error.
int Raise(const char* kind, const char* message);

}  // namespace hologram::tvmffi
