#include "doctor/self_test.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "base/blake3.h"
#include "doctor/report.h"
#include "engines/cpu_features.h"
#include "isa/type.h"
#include "runtime/compiler_plugin.h"
#include "runtime/kernel.h"
#include "runtime/native/elf_loader.h"
#include "text/text.h"
#include "verify/verified_program.h"

namespace hologram::doctor {
namespace {

constexpr Published kPublished[] = {
#include "doctor/published.inc"
};

constexpr uint32_t kCount = 4099;  // whole vectors and a rest

// Operations of one type, with the registers of their operands.
struct Family {
  const char* type;
  std::vector<const char*> unary;
  std::vector<const char*> binary;
  std::vector<const char*> ternary;
};

const std::vector<Family>& Families() {
  static const std::vector<Family> families = {
      {"f32",
       {"exp", "log", "log2", "log10", "sqrt", "rsqrt", "sin", "cos", "tan", "tanh", "sigmoid",
        "floor", "round", "exp.fast"},
       {"add", "mul", "div", "min", "max"},
       {"mad", "fma"}},
      {"f64",
       {"exp", "log", "sqrt", "rsqrt", "sin", "cos", "tan", "tanh", "sigmoid"},
       {"add", "mul", "div"},
       {"fma"}},
      {"f16", {"exp"}, {"add", "div"}, {"fma"}},
      {"bf16", {}, {"add", "mul"}, {}},
      {"i32", {"neg"}, {"mul", "div", "rem"}, {}},
      {"u64", {}, {"mul", "div"}, {}},
      {"i8", {}, {"div", "max"}, {}},
      {"u16", {}, {"rem", "sub"}, {}},
  };
  return families;
}

TestKernel KernelOf(const std::string& type, const std::string& operation,
                    const std::string& operands, size_t bytes) {
  const std::string size = std::to_string(bytes);
  const std::string name = operation + "." + type;
  std::string text = ".kernel \"" + name + "\"\n";
  for (const char* input : {"x", "y"})
    text += std::string(".param ") + input + " " + type + "[] in\n";
  text += ".param out " + type + "[] out\n.param n u32\n";
  text += "  sreg.u32 r5, global.x\n  setge.u32 p0, r5, r4\n  bra.p0 @L1\n";
  text += "  ldg." + type + " r6, [r1 + r5*" + size + "]\n";
  text += "  ldg." + type + " r7, [r2 + r5*" + size + "]\n";
  text += "  " + name + " r8, " + operands + "\n";
  text += "  stg." + type + " [r3 + r5*" + size + "], r8\nL1:\n  exit\n";
  return {name, text};
}

size_t BytesOf(const std::string& type) {
  return type == "i8"                                       ? 1
         : type == "u16" || type == "f16" || type == "bf16" ? 2
         : type == "f64" || type == "u64"                   ? 8
                                                            : 4;
}

uint64_t Next(uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Bit patterns of all kinds, and for floats of 32 and 64 bits as many numbers near 1, for which
// functions give more than infinities. No integer is 0, so that all may divide.
std::vector<uint8_t> Numbers(const std::string& type, uint64_t seed) {
  const size_t bytes = BytesOf(type);
  std::vector<uint8_t> data(kCount * bytes);
  for (uint32_t k = 0; k < kCount; ++k) {
    uint64_t bits = Next(seed);
    const double near = static_cast<double>(static_cast<int64_t>(bits) >> 20) * 0x1p-41;
    if (type == "f64" && k % 2 == 1) std::memcpy(&bits, &near, sizeof(bits));
    if (type == "f32" && k % 2 == 1) {
      const auto single = static_cast<float>(near);
      std::memcpy(&bits, &single, sizeof(single));
    }
    if (type[0] == 'i' || type[0] == 'u') bits |= 1;
    std::memcpy(data.data() + k * bytes, &bits, bytes);
  }
  return data;
}

Result<std::shared_ptr<runtime::Kernel>> Prepare(const TestKernel& kernel,
                                                 std::optional<Target> target) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<isa::Program> programs,
                            text::Assemble(kernel.text, kernel.name));
  HOLOGRAM_ASSIGN_OR_RETURN(verify::VerifiedProgram program,
                            verify::Verify(std::move(programs.at(0))));
  if (!target) {
    return std::make_shared<runtime::Kernel>(std::move(program), kernel.name, "it is tested");
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> object,
                            runtime::Compile(program, *target, runtime::CompileOutput::kObject));
  HOLOGRAM_ASSIGN_OR_RETURN(runtime::NativeCode code, runtime::NativeCode::Load(object));
  return std::make_shared<runtime::Kernel>(std::move(program), kernel.name, std::move(code), "test",
                                           InfoOf(*target).short_name);
}

}  // namespace

std::vector<TestKernel> TestKernels() {
  std::vector<TestKernel> kernels;
  for (const Family& family : Families()) {
    const size_t bytes = BytesOf(family.type);
    const auto add = [&](const std::vector<const char*>& operations, const char* operands) {
      for (const char* operation : operations) {
        kernels.push_back(KernelOf(family.type, operation, operands, bytes));
      }
    };
    add(family.unary, "r6");
    add(family.binary, "r6, r7");
    add(family.ternary, "r6, r7, r6");
  }
  return kernels;
}

Result<std::string> HashOf(const TestKernel& kernel, std::optional<Target> target) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::shared_ptr<runtime::Kernel> prepared,
                            Prepare(kernel, target));
  const std::string type = kernel.name.substr(kernel.name.rfind('.') + 1);
  const std::vector<uint8_t> x = Numbers(type, 1);
  const std::vector<uint8_t> y = Numbers(type, 2);
  std::vector<uint8_t> out(x.size());
  // Buffers are never written through an input.
  const auto ref = [](const std::vector<uint8_t>& bytes) {
    return hologram_buffer_ref{const_cast<uint8_t*>(bytes.data()), bytes.size()};
  };
  const std::array<hologram_buffer_ref, 3> buffers = {ref(x), ref(y), ref(out)};
  const std::array<uint64_t, 1> scalars = {kCount};
  runtime::LaunchConfig config;
  config.threads = 1;
  config.engine = target ? launch::Engine::kCpu : launch::Engine::kInterpreter;
  HOLOGRAM_ASSIGN_OR_RETURN(const launch::Way way, prepared->Launch(buffers, scalars, config));
  if (way.checked()) return Error(ErrorCode::kInternal, kernel.name + ": was not proved");
  constexpr size_t kDigits = 32;
  return ToHex(Blake3(out)).substr(0, kDigits);
}

std::span<const Published> PublishedHashes() {
  return kPublished;
}

namespace {

Finding TestEngine(const std::vector<TestKernel>& kernels, std::optional<Target> target) {
  Finding finding{State::kGood,
                  target ? std::string("test ") + InfoOf(*target).short_name : "test interp.", ""};
  size_t right = 0;
  for (const TestKernel& kernel : kernels) {
    const Result<std::string> hash = HashOf(kernel, target);
    if (!hash.ok()) return {State::kBad, finding.area, hash.errors()[0].message};
    const auto* const published =
        std::find_if(std::begin(kPublished), std::end(kPublished),
                     [&](const Published& row) { return kernel.name == row.name; });
    if (published != std::end(kPublished) && hash.value() == published->hash) {
      ++right;
    } else if (finding.state != State::kBad) {
      finding.state = State::kBad;
      finding.text = "; the first that differs is " + kernel.name;
    }
  }
  finding.text = std::to_string(right) + " of " + std::to_string(kernels.size()) +
                 " kernels give the published bits" + finding.text;
  return finding;
}

}  // namespace

std::vector<Finding> TestEngines() {
  const std::vector<TestKernel> kernels = TestKernels();
  std::vector<Finding> findings = {TestEngine(kernels, std::nullopt)};
  const std::optional<Target> hardware = engines::HardwareTarget();
  if (!runtime::HasCompiler()) {
    findings.push_back({State::kNote, "test native", "not run: no compiler plugin"});
    return findings;
  }
  for (const TargetInfo& info : kTargets) {
    if (!hardware || info.family != InfoOf(*hardware).family || info.target > *hardware) continue;
    findings.push_back(TestEngine(kernels, info.target));
  }
  return findings;
}

}  // namespace hologram::doctor
