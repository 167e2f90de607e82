// hologram kernels: which kernels a program would find, and where.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/quote.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "commands/report.h"
#include "runtime/executor.h"

namespace hologram::tool {
namespace {

std::string FileText(const std::string& file) {
  return file.empty() ? "memory" : file;
}

void PrintText(const std::vector<runtime::ListedKernel>& kernels) {
  size_t width = 0;
  for (const runtime::ListedKernel& kernel : kernels) {
    width = std::max(width, PrintName(kernel.name).size());
  }
  for (const runtime::ListedKernel& kernel : kernels) {
    std::printf("%-*s  %-8s  %s", static_cast<int>(width), PrintName(kernel.name).c_str(),
                std::string(NameOf(kernel.origin)).c_str(), FileText(kernel.file).c_str());
    if (kernel.shadowed) std::printf("  shadowed by %s", FileText(kernel.shadowed_by).c_str());
    std::printf("\n");
  }
}

void PrintJson(const std::vector<runtime::ListedKernel>& kernels, const Diagnostics& errors) {
  std::string json = "{\"kernels\":[";
  for (size_t k = 0; k < kernels.size(); ++k) {
    const runtime::ListedKernel& kernel = kernels[k];
    json += std::string(k == 0 ? "" : ",") + "{\"name\":" + JsonString(kernel.name) +
            ",\"id\":" + JsonString(kernel.id) +
            ",\"origin\":" + JsonString(NameOf(kernel.origin)) +
            ",\"file\":" + JsonString(kernel.file) + ",\"shadowed_by\":" +
            (kernel.shadowed ? JsonString(kernel.shadowed_by) : std::string("null")) + "}";
  }
  json += "],\"errors\":[";
  for (size_t k = 0; k < errors.size(); ++k) {
    json += (k == 0 ? "" : ",") + JsonString(ToString(errors[k]));
  }
  std::printf("%s]}\n", json.c_str());
}

}  // namespace

int KernelsCommand(const Arguments& arguments) {
  const Options options = ReadOptions("kernels", arguments);
  runtime::Executor executor;
  executor.AddDefaultPlaces();
  for (const std::string& path : options.all("--path")) OrFail(executor.AddDirectory(path));
  runtime::Listing listing = executor.List();
  const std::vector<std::string>& names = options.positional();
  for (const std::string& name : names) {
    const bool found = std::any_of(listing.kernels.begin(), listing.kernels.end(),
                                   [&](const auto& kernel) { return kernel.name == name; });
    if (!found) {
      listing.errors.push_back(Error(ErrorCode::kNotFound, "no kernel " + Shown(name)));
    }
  }
  if (!names.empty()) {
    std::erase_if(listing.kernels, [&](const auto& kernel) {
      return std::find(names.begin(), names.end(), kernel.name) == names.end();
    });
  }
  if (options.has("--json")) {
    PrintJson(listing.kernels, listing.errors);
  } else {
    PrintText(listing.kernels);
  }
  // What could be read is listed all the same.
  if (!listing.errors.empty()) throw Failure{listing.errors};
  return 0;
}

}  // namespace hologram::tool
