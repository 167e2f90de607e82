// hologram debug: a launch as plain Python, under a debugger. The kernel is checked and the arrays
// are read here, as for `run`; python/hologram/debugger has the launch.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/quote.h"
#include "commands/bindings.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/launching.h"
#include "commands/load.h"
#include "commands/options.h"
#include "commands/report.h"
#include "driver/child_process.h"
#include "driver/source/python.h"

namespace hologram::tool {
namespace {

constexpr uint64_t kUsualPort = 5678;  // of debugpy

// A folder for as long as it lives.
class Folder {
 public:
  Folder() {
    char path[] = "/tmp/hologram-debug-XXXXXX";
    if (mkdtemp(path) == nullptr) {
      Fail(ErrorCode::kResourceLimit, std::string("no folder in /tmp: ") + std::strerror(errno));
    }
    path_ = path;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string File(size_t number) const { return path_ + "/" + std::to_string(number) + ".npy"; }

 private:
  std::string path_;
};

std::string SizesJson(const std::optional<std::array<uint32_t, 3>>& sizes) {
  if (!sizes) return "[]";
  return "[" + std::to_string((*sizes)[0]) + "," + std::to_string((*sizes)[1]) + "," +
         std::to_string((*sizes)[2]) + "]";
}

std::string ParametersJson(const isa::Program& program, const Bindings& bindings) {
  std::string json;
  size_t buffers = 0;
  size_t scalars = 0;
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    json += (k == 0 ? "{\"name\":" : ",{\"name\":") + JsonString(parameter.name);
    if (parameter.is_buffer) {
      json += ",\"file\":\"" + std::to_string(buffers++) + ".npy\"}";
    } else {
      json += ",\"type\":\"" + std::string(isa::NameOf(parameter.type)) + "\",\"bits\":\"" +
              std::to_string(bindings.scalars()[scalars++]) + "\"}";
    }
  }
  return "[" + json + "]";
}

std::string ConstantsJson(const driver::Constants& constants) {
  std::string json;
  for (const frontend::CompileTimeValue& constant : constants) {
    if (constant.values.size() != 1) {
      throw UsageError{"--set-const " + constant.name + ": one value is debugged at a time"};
    }
    json += (json.empty() ? "" : ",") + JsonString(constant.name) + ":" +
            JsonString(constant.values[0]);
  }
  return "{" + json + "}";
}

uint64_t PortOf(const Options& options) {
  const auto text = options.one("--listen");
  const uint64_t port = text ? ParseCount("--listen", *text) : kUsualPort;
  if (port > UINT16_MAX) {
    Fail(ErrorCode::kInvalidArgument, "--listen: expected 0 to 65535, found " + *text);
  }
  return port;
}

std::string LaneOf(const Options& options) {
  const auto text = options.one("--lane");
  return text ? std::to_string(ParseCount("--lane", *text)) : "null";
}

// Arrays that were written, back to where they were read.
void TakeArrays(const Folder& folder, const Bindings& bindings) {
  for (size_t k = 0; k < bindings.buffers().size(); ++k) {
    const Array array = OrFail(DecodeNpy(OrFail(ReadFile(folder.File(k)))));
    const hologram_buffer_ref& buffer = bindings.buffers()[k];
    if (array.bytes.size() != buffer.bytes) {
      Fail(ErrorCode::kInternal, "the Python launch gave an array of another size");
    }
    std::memcpy(buffer.data, array.bytes.data(), array.bytes.size());
  }
}

}  // namespace

int DebugCommand(const Arguments& arguments) {
  const Options options = ReadOptions("debug", arguments);
  if (options.positional().size() != 1) {
    throw UsageError{"expected one file, found " + std::to_string(options.positional().size())};
  }
  const std::string path = options.positional()[0];
  if (!path.ends_with(".py")) {
    Fail(ErrorCode::kInvalidArgument, path + ": expected a .py file: other kernels have no lines");
  }
  const std::string script = OrFail(driver::PackageFile("/hologram/debugger/__main__.py"));
  const std::string where =
      "\"port\":" + std::to_string(PortOf(options)) + ",\"lane\":" + LaneOf(options);
  const runtime::LaunchConfig config = ConfigFrom(options);
  const driver::Constants constants = ConstantsOf(options);
  StepTimes times;
  const auto kernel =
      Prepare(path, options.one("--entry").value_or(""), {}, false, constants, times);
  const Bindings bindings(kernel->verified(), path, options);
  const Folder folder;
  for (size_t k = 0; k < bindings.buffers().size(); ++k) {
    OrFail(WriteFile(folder.File(k), EncodeNpy(bindings.array(k))));
  }
  const std::string json =
      "{\"file\":" + JsonString(path) + ",\"kernel\":" + JsonString(kernel->name()) +
      ",\"grid\":" + SizesJson(config.shape.grid) + ",\"block\":" + SizesJson(config.shape.block) +
      ",\"budget\":" + std::to_string(config.budget) +
      ",\"deterministic\":" + (config.deterministic ? "true" : "false") + "," + where +
      ",\"constants\":" + ConstantsJson(constants) +
      ",\"parameters\":" + ParametersJson(kernel->program(), bindings) + "}\n";
  OrFail(WriteFile(folder.path() + "/launch.json", BytesOf(json)));
  const int status =
      OrFail(driver::RunForeground({driver::PythonInterpreter(), script, folder.path()},
                                   "HOLOGRAM_PYTHON names the Python interpreter"));
  if (status != 0) return 1;  // it has said why
  TakeArrays(folder, bindings);
  bindings.WriteOutputs();
  return 0;
}

}  // namespace hologram::tool
