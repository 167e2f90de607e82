// Shared by the calls of the page: the kernels that it has, and the text of the last answer.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "engine/module.h"

namespace hologram::web {

// The answers of a call: 1, and its text; 0, and its errors as ErrorsJson (json.h) writes them.
int32_t Give(std::string text);
int32_t Fail(const Diagnostics& errors);
int32_t GiveOrFail(Result<std::string> text);
const std::string& TheText();
// LaunchJson; after an error -1, and {"errors": ..., "launch": ...}.
int32_t GiveLaunched(const Status& done, const Kernel::Launched& launched);

Kernel::Request RequestOf(const hologram_launch_config& config);

// The number of a module, above 0, which it has until it is released.
int32_t Keep(Result<Module> module);
void Release(int32_t module);
// Null: there is none.
const Module* FindModule(int32_t module);
const Kernel* FindKernel(int32_t module, uint32_t kernel);
// The answer then.
int32_t NoKernel();

}  // namespace hologram::web
