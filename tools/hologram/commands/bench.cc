// hologram bench: how long the kernels of a file take on arrays of several sizes.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <span>

#include "base/quote.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/launching.h"
#include "commands/load.h"
#include "commands/progress.h"
#include "commands/report.h"
#include "formats/array.h"
#include "formats/scalar_text.h"
#include "isa/half.h"
#include "launch/array_shape.h"
#include "launch/way.h"

namespace hologram::tool {
namespace {

using isa::Type;

constexpr const char* kDefaultSizes = "1000,65536,1048576,16777216";

std::vector<uint64_t> SizesFrom(const Options& options) {
  const std::string text = options.one("--size").value_or(kDefaultSizes);
  std::vector<uint64_t> sizes;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    sizes.push_back(ParseCount("--size", text.substr(begin, end - begin)));
    if (sizes.back() == 0) Fail(ErrorCode::kInvalidArgument, "--size: a size is at least 1");
    begin = end + 1;
  }
  return sizes;
}

// Elements by a fixed sequence (splitmix64).
Array FillArray(Type type, uint64_t count) {
  constexpr uint64_t kSmall = 128;
  Array array = OrFail(MakeArray(type, {count}));
  const size_t size = isa::SizeOf(type);
  const uint64_t limit = size == 1 ? std::min(count, kSmall) : count;
  uint64_t state = 1;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    x ^= x >> 31;
    // A signed 16-bit integer does not hold every index.
    uint64_t bits = x % (type == Type::kI16 ? std::min<uint64_t>(limit, 32768) : limit);
    if (isa::IsFloat(type)) bits = isa::FloatBits(static_cast<double>(x >> 11) * 0x1p-53, type);
    std::memcpy(array.bytes.data() + i * size, &bits, size);
  }
  return array;
}

uint64_t ScalarOf(const isa::Parameter& parameter, const std::map<std::string, std::string>& set,
                  uint64_t n) {
  const auto given = set.find(parameter.name);
  const std::string text = given != set.end()             ? given->second
                           : isa::IsFloat(parameter.type) ? std::string("1")
                                                          : std::to_string(n);
  const Result<uint64_t> bits = ParseScalar(parameter.type, text);
  if (bits.ok()) return bits.value();
  Fail(ErrorCode::kInvalidArgument,
       (given != set.end() ? "--set " + parameter.name : "scalar '" + parameter.name + "'") + ": " +
           bits.errors()[0].message);
}

// n elements; of an array with several dimensions, the largest cube that has no more.
launch::ArrayShape ShapeOf(const isa::Parameter& parameter, uint64_t n) {
  const uint32_t rank = std::max<uint32_t>(parameter.rank, 1);
  // Roots of cubes may come out just below a whole number.
  const auto side =
      rank == 1 ? n : static_cast<uint64_t>(std::pow(static_cast<double>(n), 1.0 / rank) + 1e-9);
  const std::vector<uint64_t> extents(rank, side);
  return launch::ArrayShape::Contiguous(extents);
}

struct Row {
  std::string kernel;
  uint64_t n = 0;
  std::string engine;
  double seconds = 0;
  size_t launches = 0;
  double rate = 0;   // bytes a second
  double probe = 0;  // of c = a + b
};

Row Measure(const runtime::Kernel& kernel, uint64_t n,
            const std::map<std::string, std::string>& set, const runtime::LaunchConfig& config) {
  const Progress progress("measuring kernel '" + kernel.name() + "' at " + std::to_string(n));
  std::vector<Array> arrays;
  std::vector<Array> before;
  std::vector<hologram_buffer_ref> buffers;
  std::vector<uint64_t> scalars;
  std::vector<Restore> restores;
  const isa::Program& program = kernel.program();
  const std::span arguments = std::span(program.parameters).first(program.NumArguments());
  std::vector<launch::ArrayShape> shapes;
  for (const isa::Parameter& parameter : arguments) {
    if (parameter.is_buffer) {
      shapes.push_back(ShapeOf(parameter, n));
    } else {
      scalars.push_back(ScalarOf(parameter, set, n));
    }
  }
  const std::vector<uint64_t> sizes = OrFail(launch::ShapeScalars(program, shapes));
  scalars.insert(scalars.end(), sizes.begin(), sizes.end());
  before.reserve(arguments.size());  // restores point into it
  for (const isa::Parameter& parameter : arguments) {
    if (!parameter.is_buffer) continue;
    const launch::ArrayShape& shape = shapes[buffers.size()];
    const uint64_t elements = shape.extents[0] * (shape.rank < 2 ? 1 : shape.strides[0]);
    arrays.push_back(FillArray(parameter.type, elements));
    if (parameter.direction == isa::Direction::kInOut) {
      before.push_back(FillArray(parameter.type, elements));
      const Bytes& initial = before.back().bytes;
      restores.push_back({buffers.size(), {initial.data(), initial.size()}});
    }
    buffers.push_back({arrays.back().bytes.data(), arrays.back().bytes.size()});
  }
  const launch::Way outcome = OrFail(kernel.Launch(buffers, scalars, config));
  if (outcome.guarded()) PrintNote(kernel.GuardedNote(outcome));
  const Repeated repeated = Repeat(kernel, buffers, scalars, restores, config);
  if (repeated.seconds.empty()) {
    Fail(ErrorCode::kFault, "kernel '" + kernel.name() +
                                "' cannot be launched again: what it left in its stream "
                                "makes it fault");
  }
  const uint64_t bytes = BytesMoved(kernel.program(), buffers);
  const double median = repeated.Median();
  return {kernel.name(),
          n,
          outcome.native() ? kernel.path() : "interpreter",
          median,
          repeated.seconds.size(),
          static_cast<double>(bytes) / median,
          ProbeBandwidth(bytes)};
}

void PrintRow(const Row& row) {
  std::printf("%-20s %10llu %12.3f us %6zu launches %9.2f GB/s %5.0f %% of %7.2f  %s\n",
              row.kernel.c_str(), static_cast<unsigned long long>(row.n), row.seconds * 1e6,
              row.launches, row.rate / 1e9, row.probe == 0 ? 0 : 100 * row.rate / row.probe,
              row.probe / 1e9, row.engine.c_str());
  std::fflush(stdout);
}

std::string RowJson(const Row& row) {
  char numbers[256];
  std::snprintf(numbers, sizeof numbers,
                "\"n\":%llu,\"seconds\":%.9g,\"launches\":%zu,\"bytes_per_second\":%.6g,"
                "\"probe_bytes_per_second\":%.6g",
                static_cast<unsigned long long>(row.n), row.seconds, row.launches, row.rate,
                row.probe);
  return "{\"kernel\":" + JsonString(row.kernel) + "," + numbers +
         ",\"engine\":" + JsonString(row.engine) + "}";
}

std::map<std::string, std::string> ScalarsFrom(const Options& options) {
  std::map<std::string, std::string> set;
  for (const std::string& text : options.all("--set")) {
    const NameAndValue given = SplitAssignment("--set", text, "NAME=VALUE");
    if (!set.emplace(given.name, given.value).second) {
      Fail(ErrorCode::kInvalidArgument, "--set " + given.name + " is given twice");
    }
  }
  return set;
}

// Every --set must be a scalar of some kernel that is measured.
void CheckScalars(const std::map<std::string, std::string>& set,
                  const std::vector<isa::Program>& programs) {
  for (const auto& [name, value] : set) {
    bool known = false;
    for (const isa::Program& program : programs) {
      for (const isa::Parameter& parameter : program.parameters) {
        known |= !parameter.is_buffer && parameter.name == name;
      }
    }
    if (known) continue;
    Fail(ErrorCode::kInvalidArgument, "--set " + Escape(name, false) +
                                          ": no kernel that is measured "
                                          "has such a scalar");
  }
}

}  // namespace

int BenchCommand(const Arguments& arguments) {
  const Options options = ReadOptions("bench", arguments);
  if (options.positional().size() != 1) {
    throw UsageError{"expected one file, found " + std::to_string(options.positional().size())};
  }
  const std::vector<uint64_t> sizes = SizesFrom(options);
  const std::map<std::string, std::string> set = ScalarsFrom(options);
  runtime::LaunchConfig config = ConfigFrom(options);
  config.shows_prints = false;  // what kernels print is not measured
  const bool allow_native = config.engine != launch::Engine::kInterpreter;
  const KernelFile file =
      FileOrKernel(options.positional()[0], options.one("--entry").value_or(""));
  std::vector<isa::Program> programs = LoadPrograms(file.path, file.entry);
  CheckScalars(set, programs);
  std::string json = "{\"rows\":[";
  bool first = true;
  for (isa::Program& program : programs) {
    const auto kernel = PrepareProgram(std::move(program), allow_native);
    for (uint64_t n : sizes) {
      const Row row = Measure(*kernel, n, set, config);
      if (!options.has("--json")) {
        PrintRow(row);
        continue;
      }
      json += (first ? "" : ",") + RowJson(row);
      first = false;
    }
  }
  if (options.has("--json")) std::printf("%s]}\n", json.c_str());
  return 0;
}

}  // namespace hologram::tool
