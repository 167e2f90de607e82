#include "commands/run_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/quote.h"
#include "commands/bindings.h"
#include "commands/progress.h"
#include "commands/report.h"
#include "formats/array.h"
#include "formats/scalar_text.h"
#include "stream/places.h"
#include "stream/run.h"

namespace hologram::tool {
namespace {

using isa::Parameter;

bool IsNpy(const std::string& path) {
  return path.ends_with(".npy");
}

[[noreturn]] void Refuse(const std::string& message) {
  Fail(ErrorCode::kInvalidArgument, message);
}

uint64_t CountOf(const std::vector<uint64_t>& shape) {
  uint64_t count = 1;
  for (const uint64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) Refuse("an array is too large");
  }
  return count;
}

// One array of the kernel and its files.
struct Streamed {
  const Parameter* parameter = nullptr;
  std::string input;  // empty: none
  std::string output;
  std::vector<uint64_t> shape;  // empty: not known
  uint64_t offset = 0;          // of the first element in the input
  bool moves = true;
  Array memory;  // where it does not
  uint64_t extent() const { return shape.empty() ? stream::kUnknown : CountOf(shape); }
};

class StreamCommand {
 public:
  StreamCommand(const runtime::Kernel& kernel, const Options& options,
                const runtime::LaunchConfig& config)
      : kernel_(kernel), options_(options), config_(config) {}

  stream::Streamed Run() {
    for (const Parameter& parameter : kernel_.program().parameters) {
      if (parameter.is_buffer) arrays_.push_back({&parameter, {}, {}, {}, 0, true, {}});
    }
    CollectFiles();
    CheckFiles();
    for (Streamed& array : arrays_) Measure(array);
    GiveLengths();
    FillScalars();
    if (AllAreKnown()) FindWhatStays();
    stream::Request request;
    request.kernel = &kernel_;
    request.scalars = scalars_;
    request.config = config_;
    if (const auto window = options_.one("--window")) {
      request.window_bytes = ParseCount("--window", *window);
    }
    std::vector<PlacedArray> kept;
    for (Streamed& array : arrays_) request.flows.push_back(FlowOf(array, kept));
    Share share;
    share.all = LengthOfStream();
    request.progress = [&share](const stream::Streamed& now) -> Status {
      share.done.store(now.elements, std::memory_order_relaxed);
      return Success{};
    };
    const Progress progress("streaming through kernel '" + kernel_.name() + "'", &share);
    stream::Streamed done = OrFail(stream::Run(std::move(request)));
    WriteArrays(kept);
    return done;
  }

 private:
  Streamed& Find(const std::string& option, const std::string& name) {
    for (Streamed& array : arrays_) {
      if (array.parameter->name == name) return array;
    }
    Refuse(option + " " + Escape(name, false) + ": kernel '" + kernel_.name() +
           "' has no such array");
  }

  void CollectFiles() {
    for (const std::string& text : options_.all("--in")) {
      const NameAndValue in = SplitAssignment("--in", text, "NAME=FILE");
      Streamed& array = Find("--in", in.name);
      if (!array.input.empty()) Refuse("--in " + in.name + " is given twice");
      array.input = in.value;
    }
    for (const std::string& text : options_.all("--out")) {
      const NameAndValue out = SplitAssignment("--out", text, "NAME=FILE");
      Streamed& array = Find("--out", out.name);
      if (!array.output.empty()) Refuse("--out " + out.name + " is given twice");
      if (array.parameter->direction == isa::Direction::kIn) {
        Refuse("--out " + out.name + ": the kernel only reads it; use --in");
      }
      array.output = out.value;
      ReadShape(array);
    }
  }

  // What is read is not written over, under whatever name.
  void CheckFiles() const {
    for (const Streamed& out : arrays_) {
      for (const Streamed& in : arrays_) {
        if (in.input.empty() || out.output.empty() || CheckNotInput(out.output, {in.input}).ok()) {
          continue;
        }
        Refuse("--out " + out.parameter->name + ": " + out.output + " is read for --in " +
               in.parameter->name + " and would be replaced; write to another file");
      }
    }
  }

  // FILE:TYPE:SHAPE, of an array whose length is not that of the inputs.
  void ReadShape(Streamed& array) {
    const size_t last = array.output.rfind(':');
    if (last == std::string::npos || last == 0) return;
    const size_t middle = array.output.rfind(':', last - 1);
    if (middle == std::string::npos) return;
    const std::string type = array.output.substr(middle + 1, last - middle - 1);
    if (!isa::ParseType(type)) return;
    if (type != isa::NameOf(array.parameter->type)) {
      Refuse("--out " + array.parameter->name + ": the kernel has " +
             std::string(isa::NameOf(array.parameter->type)) + ", the option says " + type);
    }
    std::string shape = array.output.substr(last + 1);
    std::replace(shape.begin(), shape.end(), 'x', ',');
    for (size_t at = 0; at <= shape.size();) {
      const size_t end = std::min(shape.find(',', at), shape.size());
      array.shape.push_back(ParseCount("--out", shape.substr(at, end - at)));
      at = end + 1;
    }
    array.output.resize(middle);
  }

  void Measure(Streamed& array) {
    if (array.input.empty() && array.output.empty()) {
      Refuse("array '" + array.parameter->name + "' is missing; add " +
             (array.parameter->direction == isa::Direction::kIn ? "--in " : "--out ") +
             array.parameter->name + "=FILE");
    }
    if (array.input.empty() || array.input == "-") return;
    const Descriptor file(open(array.input.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info{};
    if (file.get() < 0 || fstat(file.get(), &info) != 0) {
      Fail(ErrorCode::kNotFound, array.input + ": no such file or directory");
    }
    if (!S_ISREG(info.st_mode)) return;
    const auto size = static_cast<uint64_t>(info.st_size);
    const uint64_t item = isa::SizeOf(array.parameter->type);
    if (!IsNpy(array.input)) {
      if (size % item != 0) {
        Refuse(array.input + ": " + std::to_string(size) +
               " bytes end in the middle of an element of " + std::to_string(item));
      }
      array.shape = {size / item};
      return;
    }
    std::vector<uint8_t> beginning(std::min<uint64_t>(size, kMaxNpyStart));
    if (!ReadAll(file.get(), beginning)) Refuse(array.input + ": cannot be read");
    const NpyStart start = OrFail(DecodeNpyStart(beginning));
    if (start.type != FileType(array.parameter->type)) {
      Refuse("--in " + array.parameter->name + ": the kernel has " +
             std::string(isa::NameOf(array.parameter->type)) + ", " + array.input + " has " +
             std::string(isa::NameOf(start.type)));
    }
    array.shape = start.shape.empty() ? std::vector<uint64_t>{1} : start.shape;
    array.offset = start.offset;
    if ((size - start.offset) / item < CountOf(array.shape)) {
      Refuse(array.input + ": ends before its elements do");
    }
  }

  // Outputs are as long as the longest input.
  void GiveLengths() {
    const Streamed* longest = nullptr;
    for (const Streamed& array : arrays_) {
      if (array.input.empty()) continue;
      if (array.shape.empty()) {
        longest = &array;
        break;
      }
      if (longest == nullptr || CountOf(array.shape) > CountOf(longest->shape)) longest = &array;
    }
    for (Streamed& array : arrays_) {
      if (array.input.empty() && array.shape.empty() && longest != nullptr) {
        array.shape = longest->shape;
      }
    }
  }

  bool AllAreKnown() const {
    return std::none_of(arrays_.begin(), arrays_.end(),
                        [](const Streamed& array) { return array.shape.empty(); });
  }

  void FillScalars() {
    std::map<std::string, std::string> given;
    for (const std::string& text : options_.all("--set")) {
      const NameAndValue set = SplitAssignment("--set", text, "NAME=VALUE");
      if (!given.emplace(set.name, set.value).second)
        Refuse("--set " + set.name + " is given twice");
    }
    for (const Parameter& parameter : kernel_.program().parameters) {
      if (parameter.is_buffer) continue;
      const auto found = given.find(parameter.name);
      if (found == given.end()) {
        Refuse("scalar '" + parameter.name + "' is missing; add --set " + parameter.name +
               "=VALUE, or =len(ARRAY)");
      }
      scalars_.push_back(ScalarOf(parameter, found->second));
      given.erase(found);
    }
    if (!given.empty()) Refuse("--set " + Escape(given.begin()->first, false) + ": no such scalar");
  }

  uint64_t ScalarOf(const Parameter& parameter, const std::string& text) {
    if (!text.starts_with("len(") || !text.ends_with(")")) {
      return OrFail(ParseScalar(parameter.type, text));
    }
    const Streamed& array = Find("--set", text.substr(4, text.size() - 5));
    // Of what is read until its end, the length is found out.
    const std::string length = array.shape.empty() ? "0" : std::to_string(CountOf(array.shape));
    return OrFail(ParseScalar(parameter.type, length));
  }

  // Arrays that do not follow the units are whole, in memory.
  void FindWhatStays() {
    std::vector<uint64_t> extents;
    for (const Streamed& array : arrays_) extents.push_back(array.extent());
    const auto units = kernel_.UnitsOf(scalars_, config_, extents);
    if (!units.ok() || units.value().count == 0) {
      // Without a default launch: tables are the arrays that have a shape of their own.
      for (Streamed& array : arrays_) {
        array.moves = !(array.input.empty() && CountOf(array.shape) != Longest());
      }
      return;
    }
    launch::Window window;
    window.first = units.value().count / 2;
    window.last = window.first + 1;
    window.extent = extents;
    const auto reach = OrFail(kernel_.ReachOf(scalars_, config_, window));
    for (size_t b = 0; b < arrays_.size(); ++b) {
      arrays_[b].moves = reach[b].bounded && (reach[b].moves || reach[b].low == reach[b].high);
    }
  }

  uint64_t Longest() const {
    uint64_t most = 0;
    for (const Streamed& array : arrays_) {
      if (!array.input.empty()) most = std::max(most, array.extent());
    }
    return most;
  }

  // 0: it is not known.
  uint64_t LengthOfStream() const {
    uint64_t most = 0;
    for (const Streamed& array : arrays_) {
      if (array.moves) most = std::max(most, array.extent());
    }
    return most == stream::kUnknown ? 0 : most;
  }

  stream::Flow FlowOf(Streamed& array, std::vector<PlacedArray>& kept) {
    const Parameter& parameter = *array.parameter;
    const std::string name = "'" + parameter.name + "'";
    stream::Flow flow;
    flow.extent = array.extent();
    if (!array.moves) {
      array.memory = OrFail(
          array.input.empty() ? MakeArray(parameter.type, array.shape)
                              : ReadArray(ParsePlace(array.input), parameter.name, parameter.type));
      flow.memory = {array.memory.bytes.data(), array.memory.bytes.size()};
      if (!array.output.empty()) kept.push_back({ParsePlace(array.output), &array.memory});
      return flow;
    }
    if (array.input == "-") {
      flow.source = stream::DescriptorSource(STDIN_FILENO, std::nullopt, name);
    } else if (!array.input.empty()) {
      flow.source = OrFail(stream::FileSource(array.input, array.offset));
    }
    if (array.output == "-") {
      flow.sink = stream::DescriptorSink(STDOUT_FILENO, std::nullopt, name);
    } else if (!array.output.empty()) {
      std::string header;
      if (IsNpy(array.output)) {
        if (array.shape.empty()) {
          Refuse(array.output + ": a .npy file begins with its length, which is not known yet");
        }
        const std::vector<uint8_t> start = EncodeNpyStart(parameter.type, array.shape);
        header.assign(start.begin(), start.end());
      }
      flow.sink = OrFail(stream::FileSink(array.output, std::move(header)));
    }
    return flow;
  }

  const runtime::Kernel& kernel_;
  const Options& options_;
  const runtime::LaunchConfig& config_;
  std::vector<Streamed> arrays_;  // by buffer
  std::vector<uint64_t> scalars_;
};

void PrintStreamed(const stream::Streamed& done) {
  const double seconds = std::max(done.seconds, 1e-9);
  std::fprintf(stderr,
               "hologram: time: stream    %11.3f s  %.2f GB/s in, %.2f GB/s out, %llu windows, "
               "%.6g MB of memory\n"
               "hologram: time: at work    reading %.0f %%, computing %.0f %%, writing %.0f %%\n",
               done.seconds, static_cast<double>(done.bytes_read) / seconds / 1e9,
               static_cast<double>(done.bytes_written) / seconds / 1e9,
               static_cast<unsigned long long>(done.windows),
               static_cast<double>(done.pool_bytes) / 1e6, 100 * done.reading / seconds,
               100 * done.computing / seconds, 100 * done.writing / seconds);
}

}  // namespace

void RunStream(const std::shared_ptr<const runtime::Kernel>& kernel, const Options& options,
               const runtime::LaunchConfig& config, bool timed) {
  if (kernel->facts().shape_parameters || kernel->facts().has_rank) {
    Fail(ErrorCode::kUnsupported, "kernel '" + kernel->name() +
                                      "' takes shapes of arrays, which --stream does not know; "
                                      "hologram.stream in Python does");
  }
  const stream::Streamed done = StreamCommand(*kernel, options, config).Run();
  if (timed) PrintStreamed(done);
}

}  // namespace hologram::tool
