// What the code generator promises about its output, for every kernel of kernels.hasm: objects for
// all levels without undefined symbols, PTX without inexact instructions, equal bytes for equal
// input, the same machine code with and without source lines, no check in affine kernels, and
// streaming and partial bodies that give the bytes of the whole.
#include "codegen/codegen.h"

#include <elf.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "engines/cpu_features.h"
#include "engines/scratch.h"
#include "plugin/code.h"
#include "runtime/native/elf_loader.h"
#include "text/text.h"

namespace hologram::codegen {
namespace {

using Bytes = std::vector<uint8_t>;

int failures = 0;

void Expect(bool condition, const std::string& what) {
  if (condition) return;
  ++failures;
  std::printf("FAILED: %s\n", what.c_str());
}

Bytes MustCompile(const verify::VerifiedProgram& program, Options options, Output output) {
  Result<Bytes> bytes = Compile(program, options, output);
  const std::string name =
      program.program().name + " at level " + std::to_string(static_cast<int>(options.level));
  Expect(bytes.ok(), name + (bytes.ok() ? "" : ": " + ToString(bytes.errors()[0])));
  return bytes.ok() ? bytes.value() : Bytes();
}

// Code that this test runs is of the level that this machine has.
Options HostOptions() {
  Options options;
  const auto target = engines::CurrentTarget();
  if (target.ok() && target.value()) options.level = *target.value();
  return options;
}

template <class T>
T At(const Bytes& bytes, size_t offset) {
  T value{};
  if (offset + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// All sections that hold instructions.
Bytes TextOf(const Bytes& object) {
  Bytes text;
  const auto header = At<Elf64_Ehdr>(object, 0);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const auto section = At<Elf64_Shdr>(object, header.e_shoff + i * sizeof(Elf64_Shdr));
    if ((section.sh_flags & SHF_EXECINSTR) == 0) continue;
    const auto begin = object.begin() + static_cast<std::ptrdiff_t>(section.sh_offset);
    text.insert(text.end(), begin, begin + static_cast<std::ptrdiff_t>(section.sh_size));
  }
  return text;
}

void CheckObjects(const verify::VerifiedProgram& program) {
  const std::string& name = program.program().name;
  for (Level level : {Level::kX86V2, Level::kX86V3, Level::kX86V4, Level::kAArch64}) {
    Options options;
    options.level = level;
    const Bytes object = MustCompile(program, options, Output::kObject);
    const uint16_t machine = level == Level::kAArch64 ? EM_AARCH64 : EM_X86_64;
    Expect(At<Elf64_Ehdr>(object, 0).e_machine == machine, name + ": wrong machine in the object");
    if (machine == EM_X86_64) {
      const auto code = runtime::NativeCode::Load(object);
      Expect(code.ok(), name + ": object does not load" +
                            (code.ok() ? "" : ": " + ToString(code.errors()[0])));
    }
  }
  Options options;
  const Bytes object = MustCompile(program, options, Output::kObject);
  Expect(object == MustCompile(program, options, Output::kObject), name + ": not deterministic");
  options.debug_lines = false;
  const Bytes plain = MustCompile(program, options, Output::kObject);
  Expect(TextOf(object) == TextOf(plain), name + ": source lines change the code");
  Expect(object != plain, name + ": no source lines");
}

void CheckPtx(const verify::VerifiedProgram& program) {
  const std::string& name = program.program().name;
  for (Level level : {Level::kSm80, Level::kSm90}) {
    Options options;
    options.level = level;
    const Bytes bytes = MustCompile(program, options, Output::kObject);
    const std::string text(bytes.begin(), bytes.end());
    Expect(text.find(".entry " + name + "(") != std::string::npos, name + ": no .entry in PTX");
    for (const char* inexact : {".approx", ".ftz", ".full"}) {
      Expect(text.find(inexact) == std::string::npos, name + ": PTX has " + inexact);
    }
  }
}

void CheckChecks(const verify::VerifiedProgram& program) {
  bool guarded = false;
  for (const verify::AccessFact& access : program.accesses()) {
    guarded |= access.tier == verify::Tier::kGuarded;
  }
  Options options;
  const Bytes checked = TextOf(MustCompile(program, options, Output::kObject));
  options.unchecked = true;
  const Bytes unchecked = TextOf(MustCompile(program, options, Output::kObject));
  Expect((checked == unchecked) == !guarded,
         program.program().name + ": a check where the access is proved, or none where it is not");
}

// saxpy(x, y, out, a, n): the streaming body, and the body in two parts, at every alignment.
void CheckBodies(const verify::VerifiedProgram& program) {
  const Bytes object = MustCompile(program, HostOptions(), Output::kObject);
  const auto code = runtime::NativeCode::Load(object);
  if (!code.ok()) return Expect(false, "vector_add does not load");
  const hologram_kernel_info& info = *code.value().info();
  Expect(info.streaming_body != nullptr, "vector_add has no streaming body");
  Expect(info.unit == HOLOGRAM_UNIT_LANE, "vector_add is not a kernel of one row");
  constexpr uint32_t kLanes = 1000;
  std::vector<float> a(kLanes + 32);
  std::vector<float> b(kLanes + 32);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i) * 0.25F;
    b[i] = 1000.0F - static_cast<float>(i);
  }
  hologram_launch_shape shape{{4, 1, 1}, {256, 1, 1}};
  for (size_t shift = 0; shift < 20 && info.streaming_body != nullptr; ++shift) {
    std::vector<float> out(kLanes + 64, -1.0F);
    const uint64_t scalars[] = {kLanes};
    hologram_buffer_ref buffers[] = {
        {a.data(), kLanes * 4}, {b.data(), kLanes * 4}, {out.data() + shift, kLanes * 4}};
    hologram_launch_state state{};
    state.fault_lane = UINT64_MAX;
    info.streaming_body(buffers, scalars, &shape, &state, 0, 1024);
    bool right = true;
    for (size_t i = 0; i < kLanes; ++i) right &= out[shift + i] == a[i] + b[i];
    right &= out[shift + kLanes] == -1.0F && (shift == 0 || out[shift - 1] == -1.0F);
    Expect(right, "streaming body at shift " + std::to_string(shift));
    std::fill(out.begin(), out.end(), -1.0F);
    info.body(buffers, scalars, &shape, &state, 0, 300 + shift);
    info.body(buffers, scalars, &shape, &state, 300 + shift, 1024);
    right = true;
    for (size_t i = 0; i < kLanes; ++i) right &= out[shift + i] == a[i] + b[i];
    Expect(right, "body in two parts at shift " + std::to_string(shift));
    std::fill(out.begin(), out.end(), -1.0F);
    Expect(info.entry(buffers, scalars, &shape, &state) == HOLOGRAM_LAUNCH_DONE, "entry refuses");
    buffers[2].bytes -= 4;
    Expect(info.entry(buffers, scalars, &shape, &state) == HOLOGRAM_LAUNCH_UNPROVED,
           "entry accepts a short buffer");
    buffers[2] = {a.data() + 1, kLanes * 4};
    Expect(info.entry(buffers, scalars, &shape, &state) == HOLOGRAM_LAUNCH_UNPROVED,
           "entry accepts an overlap");
  }
}

// Local arrays of lanes that wait, all lanes of a block together: on the stack up to a limit,
// beyond it in memory of the caller, without which nothing runs.
void CheckLocalArrays() {
  constexpr uint32_t kMost = 256;  // f32: 1 KiB a lane, 1 MiB a block
  for (const uint32_t size : {kMost, kMost + 1}) {
    const std::string text = R"(.kernel waits
.param x f32[] in
.param y f32[] out
.param n u32
.local t f32 )" + std::to_string(size) +
                             R"(
  sreg.u32 r4, global.x
  sreg.u32 r5, lane.x
  setge.u32 p0, r4, r3
  bra.p0 @L1
  ldg.f32 r6, [r1 + r4*4]
  stl.f32 [l0 + r5*4], r6
L1:
  bar.sync 0
  setge.u32 p0, r4, r3
  bra.p0 @L2
  ldl.f32 r6, [l0 + r5*4]
  stg.f32 [r2 + r4*4], r6
L2:
  exit
)";
    const auto programs = text::Assemble(text, "waits.hasm");
    Expect(programs.ok(), "waits.hasm is assembled");
    if (!programs.ok()) return;
    const auto verified = verify::Verify(programs.value()[0]);
    Expect(verified.ok(), "waits.hasm is verified");
    if (!verified.ok()) return;
    const auto code =
        runtime::NativeCode::Load(MustCompile(verified.value(), HostOptions(), Output::kObject));
    if (!code.ok()) return Expect(false, "waits does not load");
    const hologram_kernel_info& info = *code.value().info();
    const uint32_t scratch = size == kMost ? 0 : 1032;
    Expect(info.scratch_bytes == scratch, "waits asks for " + std::to_string(info.scratch_bytes));
    Expect((info.default_entry == nullptr) == (scratch != 0), "waits: its default entry");
    float x[70];
    float y[70] = {};
    for (int i = 0; i < 70; ++i) x[i] = static_cast<float>(i) + 0.5F;
    const hologram_buffer_ref buffers[] = {{x, sizeof x}, {y, sizeof y}};
    const uint64_t scalars[] = {70};
    const hologram_launch_shape shape{{1, 1, 1}, {70, 1, 1}};
    hologram_launch_state state{};
    state.fault_lane = UINT64_MAX;
    const int32_t without = info.entry(buffers, scalars, &shape, &state);
    Expect(without == (scratch == 0 ? HOLOGRAM_LAUNCH_DONE : HOLOGRAM_LAUNCH_UNPROVED),
           "waits without scratch");
    Expect((y[69] == x[69]) == (scratch == 0), "waits without scratch writes");
    auto memory = engines::Scratch::Make(info, shape, 1);
    if (!memory.ok()) return Expect(false, "no memory");
    state.scratch = memory.value().Take();
    Expect((state.scratch != nullptr) == (scratch != 0), "scratch where it is needed");
    Expect(info.entry(buffers, scalars, &shape, &state) == HOLOGRAM_LAUNCH_DONE, "waits");
    Expect(std::equal(x, x + 70, y), "waits: results");
  }
}

int Main(const char* path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const auto programs = text::Assemble(text.str(), path);
  if (!programs.ok()) {
    std::printf("%s\n", ToString(programs.errors()[0]).c_str());
    return 1;
  }
  for (const isa::Program& program : programs.value()) {
    const auto verified = verify::Verify(program);
    if (!verified.ok()) {
      Expect(false, ToString(verified.errors()[0]));
      continue;
    }
    CheckObjects(verified.value());
    CheckPtx(verified.value());
    CheckChecks(verified.value());
    if (program.name == "vector_add") CheckBodies(verified.value());
  }
  CheckLocalArrays();
  std::printf("%zu kernels, %d failures\n", programs.value().size(), failures);
  return failures == 0 && !programs.value().empty() ? 0 : 1;
}

}  // namespace
}  // namespace hologram::codegen

int main(int argc, char** argv) {
  return argc == 2 ? hologram::codegen::Main(argv[1]) : 2;
}
