// Kernels that represent several: type variables and compile-time parameters. Tested by
// tests/frontend.
#pragma once

#include <vector>

#include "frontend/ast.h"
#include "frontend/frontend.h"
#include "frontend/reporter.h"
#include "frontend/symbols.h"

namespace hologram::frontend {

// One program of a kernel: what its type variables and compile-time parameters are there.
struct Instance {
  // Of the program: the kernel's, each type, each value that is not the default. add_f32, blur_R3.
  std::string name;
  Names names;
};

// All instances of a kernel, in the order of the types and values; one, called like the kernel, if
// it has neither type variables nor compile-time parameters. Marks the constants that it uses.
// Errors go to the reporter; then there are no instances.
std::vector<Instance> InstancesOf(const Document& document, const Kernel& kernel,
                                  std::vector<CompileTimeValue>& constants, Reporter& reporter);

// True if `entry` is the kernel's name or the name of one of its instances.
bool IsMeant(const Instance& instance, const Kernel& kernel, const std::string& entry);

// The kernel without its compile-time parameters, to be checked as one instance.
Kernel CloneForInstance(const Kernel& kernel);

}  // namespace hologram::frontend
