// hologram kernels: which kernels a program would find, and where.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "base/spelling.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/load.h"
#include "commands/options.h"
#include "commands/report.h"
#include "commands/standard_kernels.h"
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

// Those of hg.ops have no stable signature: few programs call them by name.
bool IsOfOps(const runtime::ListedKernel& kernel) {
  return kernel.origin == runtime::Origin::kBuiltIn && kernel.name.starts_with("op_");
}

// The kernels of the user with their files, then the standard ones by groups.
void PrintOverview(std::vector<runtime::ListedKernel> kernels) {
  std::set<std::string> standard;
  size_t others = 0;
  std::erase_if(kernels, [&](const runtime::ListedKernel& kernel) {
    const bool is_plain = kernel.origin == runtime::Origin::kBuiltIn && !kernel.shadowed;
    if (IsOfOps(kernel)) {
      ++others;
    } else if (is_plain) {
      standard.insert(kernel.name);
    }
    return is_plain || IsOfOps(kernel);
  });
  PrintText(kernels);
  if (!kernels.empty() && !standard.empty()) std::printf("\n");
  std::printf("%s", GroupedText(standard).c_str());
  if (others == 0) return;
  std::printf(
      "\n%zu standard kernels; hologram kernels NAME prints the parameters of one.\n"
      "--all lists %zu more, which hg.ops uses.\n",
      standard.size(), others);
}

// Keeps the kernels of these names, and of a name that no kernel has those that begin so.
Diagnostics KeepNamed(const std::vector<std::string>& names,
                      std::vector<runtime::ListedKernel>& kernels) {
  const std::vector<runtime::ListedKernel> all = std::move(kernels);
  std::set<std::string> listed;
  for (const runtime::ListedKernel& kernel : all) listed.insert(kernel.name);
  Diagnostics errors;
  std::set<std::string> kept;
  for (const std::string& name : names) {
    const auto begin = listed.lower_bound(name);
    if (begin == listed.end() || !begin->starts_with(name)) {
      const std::vector<std::string_view> known(listed.begin(), listed.end());
      errors.push_back(NoKernel("no kernel ", name, known));
    } else if (*begin == name) {
      kept.insert(name);
    } else {
      const auto is_longer = [&](const std::string& other) { return other.starts_with(name); };
      kept.insert(begin, std::find_if_not(begin, listed.end(), is_longer));
    }
  }
  kernels.clear();
  std::copy_if(all.begin(), all.end(), std::back_inserter(kernels),
               [&](const auto& kernel) { return kept.contains(kernel.name); });
  return errors;
}

// The parameters of kernels that were named, where a bundle has them.
void PrintSignatures(const std::vector<runtime::ListedKernel>& kernels,
                     const std::vector<std::string>& names) {
  for (const runtime::ListedKernel& kernel : kernels) {
    const bool is_named = std::find(names.begin(), names.end(), kernel.name) != names.end();
    if (!is_named || kernel.shadowed || !kernel.file.ends_with(".holo")) continue;
    for (const isa::Program& program : LoadPrograms(kernel.file, kernel.name)) {
      std::printf("%s(%s)\n", PrintName(program.name).c_str(), SignatureOf(program).c_str());
    }
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
  if (!names.empty()) {
    for (Diagnostic& error : KeepNamed(names, listing.kernels)) {
      listing.errors.push_back(std::move(error));
    }
  }
  if (options.has("--json")) {
    PrintJson(listing.kernels, listing.errors);
  } else if (names.empty() && !options.has("--all")) {
    PrintOverview(listing.kernels);
  } else {
    PrintText(listing.kernels);
    PrintSignatures(listing.kernels, names);
  }
  // What could be read is listed all the same.
  if (!listing.errors.empty()) throw Failure{listing.errors};
  return 0;
}

}  // namespace hologram::tool
