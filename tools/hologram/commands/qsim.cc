// hologram qsim: runs a circuit in OpenQASM and counts what is measured (docs/qsim.md).
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "base/quote.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/launching.h"
#include "commands/options.h"
#include "commands/progress.h"
#include "commands/qsim_kernels.h"
#include "commands/report.h"
#include "formats/array.h"
#include "statevector/drawing.h"
#include "statevector/qasm.h"
#include "statevector/run.h"

namespace hologram::tool {
namespace {

using statevector::Circuit;
using statevector::Count;

constexpr uint64_t kDefaultShots = 1024;
constexpr uint64_t kDefaultSeed = 1;

uint64_t NumberOf(const Options& options, const char* name, uint64_t otherwise) {
  const std::optional<std::string> text = options.one(name);
  if (!text) return otherwise;
  // Digits of a number that is too large are a wrong value, not a wrong option.
  uint64_t number = 0;
  const bool is_digits = text->find_first_not_of("0123456789") == std::string::npos;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
  if (is_digits && read.ec == std::errc::result_out_of_range) {
    Fail(ErrorCode::kInvalidArgument,
         std::string(name) + ": expected a number below 2^64, found " + Shown(*text));
  }
  return ParseCount(name, *text);
}

std::string Text(const Circuit& circuit, const std::vector<Count>& counts) {
  std::string text;
  for (const Count& count : counts) {
    text += TextOf(circuit, count.outcome) + " " + std::to_string(count.shots) + "\n";
  }
  return text;
}

std::string Json(const Circuit& circuit, const std::vector<Count>& counts, uint64_t shots,
                 uint64_t seed) {
  std::string json = "{\"qubits\":" + std::to_string(circuit.qubits) + ",\"registers\":[";
  for (const statevector::ClassicalRegister& reg : circuit.registers) {
    json += (&reg == &circuit.registers.front() ? "" : ",") + std::string("{\"name\":") +
            JsonString(reg.name) + ",\"size\":" + std::to_string(reg.size) + "}";
  }
  json += "],\"shots\":" + std::to_string(shots) + ",\"seed\":" + std::to_string(seed) +
          ",\"counts\":{";
  for (const Count& count : counts) {
    json += (&count == &counts.front() ? "" : ",") + JsonString(TextOf(circuit, count.outcome)) +
            ":" + std::to_string(count.shots);
  }
  return json + "}}\n";
}

Status WriteSvg(const statevector::Drawing& drawing, const std::string& path) {
  const std::string svg = statevector::ToSvg(drawing);
  return WriteFile(path, {reinterpret_cast<const uint8_t*>(svg.data()), svg.size()});
}

void WritePicture(const statevector::Drawing& drawing, const std::string& path) {
  if (path.ends_with(".svg")) {
    OrFail(WriteSvg(drawing, path));
    return;
  }
  if (!path.ends_with(".png")) {
    Fail(ErrorCode::kInvalidArgument, path + ": pictures are .svg or .png");
  }
  const auto height = static_cast<uint64_t>(drawing.height);
  const auto width = static_cast<uint64_t>(drawing.width);
  const Array pixels = OrFail(MakeArray(isa::Type::kU8, {height, width}));
  const std::vector<uint8_t> bytes = statevector::ToPixels(drawing);
  std::memcpy(pixels.bytes.data(), bytes.data(), bytes.size());
  OrFail(WriteFile(path, OrFail(EncodeArray(pixels, path))));
}

// Both pictures of FILE.qasm, in the current folder, where none was asked for by name. The counts
// are printed already: a folder that cannot be written is no error.
void WritePictures(const Circuit& circuit, const std::vector<Count>& counts,
                   const std::string& file) {
  const std::string stem = std::filesystem::path(file).stem().string();
  const auto write = [&](const statevector::Drawing& drawing, const std::string& path) {
    const Status written = WriteSvg(drawing, path);
    if (written.ok()) {
      std::fprintf(stderr, "wrote %s\n", Shown(path).c_str());
    } else {
      PrintNote(written.errors()[0]);
    }
  };
  write(statevector::DrawCircuit(circuit), stem + "-circuit.svg");
  write(statevector::DrawHistogram(circuit, counts), stem + "-counts.svg");
}

}  // namespace

int QsimCommand(const Arguments& arguments) {
  const Options options = ReadOptions("qsim", arguments);
  if (options.positional().size() != 1) throw UsageError{"expected one file"};
  const std::string& path = options.positional()[0];
  const uint64_t shots = NumberOf(options, "--shots", kDefaultShots);
  const uint64_t seed = NumberOf(options, "--seed", kDefaultSeed);
  if (shots < 1 || shots > statevector::kMaxShots) {
    Fail(ErrorCode::kInvalidArgument, "--shots: expected 1 to " +
                                          std::to_string(statevector::kMaxShots) + ", found " +
                                          std::to_string(shots));
  }
  const std::vector<uint8_t> bytes = OrFail(ReadFile(path, kMaxSourceBytes));
  const std::string_view source(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Circuit circuit = OrFail(statevector::ParseQasm(source, path));
  statevector::EngineOptions engine;
  if (const auto threads = options.one("--threads")) engine.threads = ThreadsFrom(*threads);
  if (const auto picture = options.one("--draw")) {
    WritePicture(statevector::DrawCircuit(circuit), *picture);
  }
  Result<std::vector<Count>> counts = [&]() -> Result<std::vector<Count>> {
    if (options.has("--kernels")) {
      return CountByKernels(circuit, shots, seed, options.has("--single"), engine.threads);
    }
    Share share;
    const statevector::Advance advance{share.done, share.all};
    engine.advance = &advance;
    const Progress progress("simulating " + path, &share);
    return options.has("--single") ? statevector::CountShotsSingle(circuit, shots, seed, engine)
                                   : statevector::CountShots(circuit, shots, seed, engine);
  }();
  if (!counts.ok()) {
    Diagnostic error = counts.errors()[0];
    error.where.file = path;
    throw Failure{{error}};
  }
  if (const auto picture = options.one("--histogram")) {
    WritePicture(statevector::DrawHistogram(circuit, counts.value()), *picture);
  }
  const std::string text = options.has("--json") ? Json(circuit, counts.value(), shots, seed)
                                                 : Text(circuit, counts.value());
  std::fwrite(text.data(), 1, text.size(), stdout);
  const bool is_named = options.one("--draw") || options.one("--histogram");
  if (!is_named && !options.has("--json") && !options.has("--no-pictures")) {
    WritePictures(circuit, counts.value(), path);
  }
  return 0;
}

}  // namespace hologram::tool
