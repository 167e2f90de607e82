// The SPIR-V of kernels, read by a small reader: what a validator asks first of all. Each number is
// defined once, and before it is used where the specification wants that; blocks end; phis name the
// blocks that lead to theirs; capabilities are those of the types. Of PTX, which other tests read
// and run, that it is the same text each time, and its size. With --time: what both cost.
//
//   spirv_test FILE...            assembly, or bundles with programs
//   spirv_test --time FILE...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bundle/bundle.h"
#include "device/write.h"
#include "engines/devices/devices.h"
#include "engines/devices/kernel.h"
#include "text/text.h"

namespace hologram::tests {
namespace {

struct Word {
  uint32_t op = 0;
  std::vector<uint32_t> operands;
};

// What instructions define, as far as this writer uses them.
enum class Shape : uint8_t { kNothing, kResult, kTypedResult };
Shape ShapeOf(uint32_t op) {
  static const std::set<uint32_t> kNothing = {14,  15,  16,  17,  56,  62,  71,
                                              224, 225, 249, 250, 251, 253, 254};
  static const std::set<uint32_t> kResult = {11, 19, 20, 21, 22, 23, 28, 32, 33, 248};
  if (kNothing.count(op) != 0) return Shape::kNothing;
  return kResult.count(op) != 0 ? Shape::kResult : Shape::kTypedResult;
}

bool IsTerminator(uint32_t op) {
  return op == 249 || op == 250 || op == 251 || op == 253 || op == 254;
}

class Module {
 public:
  explicit Module(const std::vector<uint32_t>& words) : words_(words) {}

  // Empty, or what is wrong.
  std::string Check() {
    if (words_.size() < 5 || words_[0] != 0x07230203) return "no module";
    if (words_[1] != 0x00010000) return "its version is not 1.0";
    if (words_[4] != 0) return "the fifth word is not 0";
    std::string wrong = Read();
    if (wrong.empty()) wrong = CheckNumbers();
    if (wrong.empty()) wrong = CheckBlocks();
    return wrong.empty() ? CheckCapabilities() : wrong;
  }

 private:
  std::string Read() {
    for (size_t at = 5; at < words_.size();) {
      const uint32_t count = words_[at] >> 16;
      if (count == 0 || at + count > words_.size()) return "an instruction without an end";
      Word word{words_[at] & 0xffff, {}};
      word.operands.assign(words_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                           words_.begin() + static_cast<std::ptrdiff_t>(at + count));
      code_.push_back(std::move(word));
      at += count;
    }
    return {};
  }

  std::string CheckNumbers() {
    std::set<uint32_t> defined;
    for (const Word& word : code_) {
      const Shape shape = ShapeOf(word.op);
      if (shape == Shape::kNothing) continue;
      const uint32_t id = word.operands[shape == Shape::kResult ? 0 : 1];
      if (shape == Shape::kTypedResult && defined.count(word.operands[0]) == 0) {
        return "a type that comes later, of " + std::to_string(id);
      }
      if (id >= words_[3]) return std::to_string(id) + " is not below the bound";
      if (!defined.insert(id).second) return std::to_string(id) + " is defined twice";
    }
    return {};
  }

  // Targets of the terminator.
  static std::vector<uint32_t> TargetsOf(const Word& word) {
    const std::vector<uint32_t>& x = word.operands;
    if (word.op == 249) return {x[0]};
    if (word.op == 250) return {x[1], x[2]};
    if (word.op != 251) return {};
    std::vector<uint32_t> targets{x[1]};
    for (size_t k = 3; k < x.size(); k += 2) targets.push_back(x[k]);
    return targets;
  }

  std::string CheckBlocks() {
    std::map<uint32_t, std::set<uint32_t>> predecessors;
    std::set<uint32_t> labels;
    uint32_t block = 0;
    for (const Word& word : code_) {
      if (word.op == 248) {
        if (block != 0) return "block " + std::to_string(block) + " does not end";
        labels.insert(block = word.operands[0]);
      } else if (IsTerminator(word.op)) {
        if (block == 0) return "a terminator outside of a block";
        for (const uint32_t to : TargetsOf(word)) predecessors[to].insert(block);
        block = 0;
      } else if (word.op == 56 && block != 0) {
        return "a function ends in a block";
      }
    }
    for (const auto& [to, from] : predecessors) {
      if (labels.count(to) == 0) return "a jump to " + std::to_string(to) + ", which is no block";
    }
    for (const Word& word : code_) {
      if (word.op == 248) block = word.operands[0];
      if (word.op != 245) continue;
      std::set<uint32_t> named;
      for (size_t k = 3; k < word.operands.size(); k += 2) named.insert(word.operands[k]);
      if (named != predecessors[block] || named.size() * 2 + 2 != word.operands.size()) {
        return "a phi in block " + std::to_string(block) + " does not have its predecessors";
      }
    }
    return {};
  }

  std::string CheckCapabilities() {
    std::set<uint32_t> have;
    std::set<uint32_t> want{4, 6};
    bool contraction_off = false;
    for (const Word& word : code_) {
      const std::vector<uint32_t>& x = word.operands;
      if (word.op == 17) have.insert(x[0]);
      if (word.op == 21 && x[1] != 32) want.insert(x[1] == 8 ? 39 : x[1] == 16 ? 22 : 11);
      if (word.op == 22 && x[1] == 64) want.insert(10);
      if (word.op == 16 && x[1] == 31) contraction_off = true;
    }
    have.erase(12);  // atomics of 64 bits
    if (!contraction_off) return "contraction is not off";
    return have == want ? std::string() : "its capabilities are not those of its types";
  }

  const std::vector<uint32_t>& words_;
  std::vector<Word> code_;
};

std::vector<isa::Program> ProgramsOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  const std::string bytes = text.str();
  if (path.ends_with(".hasm")) return text::Assemble(bytes, path).value();
  std::vector<isa::Program> programs;
  const auto reader =
      bundle::BundleReader::Open({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  for (size_t k = 0; k < reader.value().size(); ++k) {
    programs.push_back(reader.value().ReadProgram(k).value());
  }
  return programs;
}

template <class T>
T Median(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

using Clock = std::chrono::steady_clock;

double Microseconds(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

struct Cost {
  std::vector<size_t> bytes;
  std::vector<double> us;  // to write one, the median of some times

  void Print(const char* name) const {
    std::printf("%s bytes: median %zu, most %zu\n", name, Median(bytes),
                *std::max_element(bytes.begin(), bytes.end()));
    if (us.empty()) return;
    std::printf("%s us to write one: median %.0f, most %.0f\n", name, Median(us),
                *std::max_element(us.begin(), us.end()));
  }
};

struct Totals {
  Cost spirv;
  Cost ptx;
  size_t refused = 0;
  size_t wrong = 0;
};

template <class Body>
double TimeOf(const Body& body) {
  std::vector<double> times;
  for (int k = 0; k < 9; ++k) {
    const Clock::time_point start = Clock::now();
    body();
    times.push_back(Microseconds(start));
  }
  return Median(times);
}

void CheckOne(const verify::VerifiedProgram& program, bool timed, Totals& totals) {
  const std::string& name = program.program().name;
  const auto first = device::WriteSpirv(program, device::Division::kSingle);
  if (!first.ok()) {
    ++totals.refused;
    std::printf("refused: %s\n", first.errors()[0].message.c_str());
    return;
  }
  totals.spirv.bytes.push_back(first.value().words.size() * sizeof(uint32_t));
  const std::string ptx = device::WritePtx(program).value().text;
  totals.ptx.bytes.push_back(ptx.size());
  if (device::WritePtx(program).value().text != ptx) {
    ++totals.wrong;
    std::printf("FAILED %s: two runs give other PTX\n", name.c_str());
  }
  for (const device::Division division : {device::Division::kSingle, device::Division::kDouble}) {
    const auto one = device::WriteSpirv(program, division);
    const auto other = device::WriteSpirv(program, division);
    std::string wrong = Module(one.value().words).Check();
    if (one.value().words != other.value().words) wrong = "two runs give other bytes";
    if (wrong.empty()) continue;
    ++totals.wrong;
    std::printf("FAILED %s: %s\n", name.c_str(), wrong.c_str());
  }
  if (!timed) return;
  totals.spirv.us.push_back(
      TimeOf([&] { (void)device::WriteSpirv(program, device::Division::kSingle); }));
  totals.ptx.us.push_back(TimeOf([&] { (void)device::WritePtx(program); }));
}

// One launch of 256 lanes with its arrays on the device: start it, and wait.
void TimeLaunch(launch::Engine engine) {
  const auto device = engines::devices::UsedDevice(engine);
  if (!device.ok()) return std::printf("%s\n", device.errors()[0].message.c_str()), void();
  const char* const text =
      ".kernel add\n.param a f32[] in\n.param b f32[] in\n.param c f32[] out\n"
      "  sreg.u32 r20, global.x\n  ldg.f32 r21, [r1 + r20*4]\n  ldg.f32 r22, [r2 + r20*4]\n"
      "  add.f32 r23, r21, r22\n  stg.f32 [r3 + r20*4], r23\n  exit\n";
  const auto program = verify::Verify(text::Assemble(text, "add").value()[0]);
  Clock::time_point start = Clock::now();
  const auto kernel = engines::devices::Kernel::Make(*device.value(), program.value());
  if (!kernel.ok()) return std::printf("%s\n", kernel.errors()[0].message.c_str()), void();
  std::printf("build of a kernel by the driver: %.1f ms\n", Microseconds(start) / 1000);
  std::vector<float> arrays[3];
  std::vector<hologram_buffer_ref> buffers;
  for (std::vector<float>& array : arrays) {
    array.assign(256, 1.5F);
    buffers.push_back({array.data(), array.size() * sizeof(float)});
  }
  launch::Launch launch;
  launch.buffers = buffers;
  launch.shape = {{1, 1, 1}, {256, 1, 1}};
  const auto median = [&](const auto& body) {
    std::vector<double> times;
    constexpr int kBatch = 100;
    for (int k = 0; k < 40; ++k) {
      start = Clock::now();
      for (int n = 0; n < kBatch; ++n) body();
      times.push_back(Microseconds(start) / kBatch);
    }
    return Median(times);
  };
  bool well = true;
  {
    const engines::devices::Hold hold(*device.value());
    well = kernel.value()->Upload(launch).ok();
  }
  const double resident = median([&] {
    const engines::devices::Hold hold(*device.value());
    well = well && kernel.value()->Start(launch).ok() && kernel.value()->Wait().ok();
  });
  const double copied = median([&] { well = well && kernel.value()->Run(launch).ok(); });
  if (!well) return std::printf("FAILED: a launch\n"), void();
  std::printf("%s: launch and wait, 256 lanes: %.3f us; with copies of three arrays %.3f us\n",
              device.value()->facts().name.c_str(), resident, copied);
}

int Main(int argc, char** argv) {
  Totals totals;
  const bool timed = argc > 1 && std::strcmp(argv[1], "--time") == 0;
  for (int i = timed ? 2 : 1; i < argc; ++i) {
    for (const isa::Program& program : ProgramsOf(argv[i])) {
      const auto verified = verify::Verify(program);
      if (!verified.ok()) continue;
      CheckOne(verified.value(), timed, totals);
    }
  }
  if (totals.spirv.bytes.empty()) return std::printf("no kernel\n"), 1;
  std::printf("%zu kernels, %zu refused, %zu wrong\n", totals.spirv.bytes.size(), totals.refused,
              totals.wrong);
  totals.spirv.Print("SPIR-V");
  totals.ptx.Print("PTX");
  // The bars of docs/devices.md; no kernel is near them.
  if (Median(totals.ptx.bytes) > 6000) return std::printf("FAILED: PTX is too long\n"), 1;
  for (uint32_t k = 0; k < engines::devices::NumDeviceEngines(); ++k) {
    const launch::Engine engine = engines::devices::DeviceEngine(k);
    if (timed) TimeLaunch(engine);
  }
  return totals.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hologram::tests

int main(int argc, char** argv) {
  return hologram::tests::Main(argc, argv);
}
