// The compiled launch check against the table-driven one. For every kernel of kernels.hasm, each
// buffer in turn gets addresses and sizes at the edges (null, misaligned, overlapping, short, near
// 2^31, 2^62, 2^63 and 2^64), and each scalar values at the edges: what the compiled check starts,
// launch::CheckLaunch must hold to be proved, and, of launches of real memory, the other way
// around. Launches of invented memory that both would start are left out: they would run.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "launch/default_shape.h"
#include "launch/launch.h"
#include "launch/way.h"
#include "runtime/native/elf_loader.h"
#include "text/text.h"

namespace hologram::codegen {
namespace {

constexpr uint64_t kBytesLimit = uint64_t{1} << 31;
constexpr uint64_t kElements = 300;
constexpr size_t kPiece = 8192;  // of the memory, for each buffer

constexpr int kRandomLaunches = 4000;  // of each kernel

int failures = 0;
size_t launched = 0;
size_t refused = 0;

class Checker {
 public:
  Checker(const verify::VerifiedProgram& program, const hologram_kernel_info& info)
      : program_(program), info_(info), facts_(program), default_launch_(facts_) {
    size_t integers = 0;
    size_t buffers = 0;
    for (const isa::Parameter& parameter : program.program().parameters) {
      buffers += parameter.is_buffer ? 1 : 0;
      integers += !parameter.is_buffer && isa::IsInteger(parameter.type) ? 1 : 0;
    }
    memory_.resize((buffers + 2) * kPiece / sizeof(uint64_t));
    for (const isa::Parameter& parameter : program.program().parameters) {
      if (parameter.is_buffer) {
        const uint64_t begin = Begin() + (buffers_.size() + 1) * kPiece;
        buffers_.push_back(Ref(begin, kElements * isa::SizeOf(parameter.type)));
      } else {
        scalars_.push_back(!isa::IsInteger(parameter.type) ? 0 : integers == 1 ? kElements : 10);
      }
    }
  }

  void Run() {
    const size_t before = launched;
    Launch();
    if (launched == before) Fail("the plain launch is refused");
    for (size_t k = 0; k < buffers_.size(); ++k) TryBuffer(k);
    for (size_t s = 0; s < scalars_.size(); ++s) TryScalar(s);
    std::minstd_rand random(1);
    for (int k = 0; k < kRandomLaunches; ++k) TryRandom(random);
  }

 private:
  static hologram_buffer_ref Ref(uint64_t data, uint64_t bytes) {
    return {reinterpret_cast<void*>(data), bytes};
  }
  static uint64_t AddressOf(const hologram_buffer_ref& buffer) {
    return reinterpret_cast<uint64_t>(buffer.data);
  }
  uint64_t Begin() const { return reinterpret_cast<uint64_t>(memory_.data()); }

  void TryBuffer(size_t k) {
    const hologram_buffer_ref usual = buffers_[k];
    const uint64_t data = AddressOf(usual);
    std::vector<uint64_t> addresses = {data,     0,          data + 1,          data + 2,
                                       data + 4, data - 4,   uint64_t{1} << 62, uint64_t{1} << 63,
                                       ~0ull,    ~0ull << 3, (~0ull >> 1) - 7};
    for (const hologram_buffer_ref& other : buffers_) {
      const uint64_t at = AddressOf(other);
      for (const uint64_t distance : {uint64_t{0}, uint64_t{4}, uint64_t{8}}) {
        addresses.insert(addresses.end(),
                         {at + distance, at - distance, at + other.bytes - distance,
                          at - usual.bytes + distance});
      }
    }
    for (const uint64_t address : addresses) {
      for (const uint64_t bytes :
           {usual.bytes, uint64_t{0}, uint64_t{1}, uint64_t{4}, usual.bytes - 1, usual.bytes - 4,
            usual.bytes - 8, usual.bytes + 4, usual.bytes + 1024, kBytesLimit - 8, kBytesLimit,
            uint64_t{1} << 32, (uint64_t{1} << 62) - 8, uint64_t{1} << 62, (uint64_t{1} << 63) - 8,
            uint64_t{1} << 63, ~uint64_t{0} << 3, ~uint64_t{0}}) {
        buffers_[k] = Ref(address, bytes);
        Launch();
        for (size_t s = 0; s < scalars_.size(); ++s) TryScalar(s);
      }
    }
    buffers_[k] = usual;
  }

  void TryScalar(size_t s) {
    const uint64_t usual = scalars_[s];
    for (const uint64_t value : {uint64_t{0}, uint64_t{1}, usual - 1, usual + 1, uint64_t{512},
                                 uint64_t{513}, uint64_t{0x7fffffff}, uint64_t{0xffffffff}}) {
      // A loop may run that often.
      if (value > 513 && !program_.loops().empty()) continue;
      scalars_[s] = value & 0xffffffff;
      Launch();
    }
    scalars_[s] = usual;
  }

  bool IsReal() const {
    const uint64_t end = Begin() + memory_.size() * sizeof(uint64_t);
    for (const hologram_buffer_ref& buffer : buffers_) {
      const uint64_t data = AddressOf(buffer);
      if (data < Begin() || data > end || buffer.bytes > end - data) return false;
    }
    return true;
  }

  bool HasEmpty() const {
    for (const hologram_buffer_ref& buffer : buffers_) {
      if (buffer.bytes == 0) return true;
    }
    return false;
  }

  // Whether the decider, asked without the generated check, takes the launch for proved.
  bool IsProved(const hologram_launch_shape& shape) const {
    launch::Launch launch = LaunchOf(shape);
    const Result<launch::Way> way = launch::WayOf(facts_, launch, LimitsOf(/*declined=*/true));
    if (!way.ok()) return false;
    // Behind the table the body runs in parts; shapes of more than one row are interpreted.
    const launch::Form form = way.value().form;
    return form == launch::Form::kParts || form == launch::Form::kInterpreted;
  }

  launch::Launch LaunchOf(const hologram_launch_shape& shape) const {
    launch::Launch launch;
    launch.buffers = buffers_;
    launch.scalars = scalars_;
    launch.shape = shape;
    return launch;
  }

  launch::Limits LimitsOf(bool declined) const {
    launch::Limits limits;
    limits.code = {true, info_.streaming_body != nullptr, info_.scratch_bytes, info_.unit};
    limits.declined = declined;
    return limits;
  }

  // Only launches that the decider sends to the entry may be decided there.
  void TryRandom(std::minstd_rand& random) {
    const auto below = [&](uint64_t count) { return random() % count; };
    const auto side = [&] { return static_cast<uint32_t>(below(8) == 0 ? 0 : 1 + below(3)); };
    hologram_launch_shape shape{{side(), 1, 1}, {static_cast<uint32_t>(below(1100)), 1, 1}};
    if (below(3) == 0) shape = {{side(), side(), side()}, {16, side(), side()}};
    size_t k = 0;
    size_t s = 0;
    for (const isa::Parameter& parameter : program_.program().parameters) {
      if (parameter.is_buffer) {
        const uint64_t size = isa::SizeOf(parameter.type);
        const bool own = below(4) != 0;
        const uint64_t piece = own ? k + 1 : below(buffers_.size()) + 1;
        const uint64_t at = below(4) == 0 ? below(64) : 0;
        const uint64_t bytes = below(3) == 0 ? below(kPiece - 64) : below(600) * size;
        buffers_[k++] = Ref(Begin() + piece * kPiece + at, std::min(bytes, kPiece - 64));
      } else {
        scalars_[s++] = below(4) == 0 ? below(1u << 9) : below(kElements + 2);
      }
    }
    const launch::Launch launch = LaunchOf(shape);
    const Result<launch::Way> way = launch::WayOf(facts_, launch, LimitsOf(/*declined=*/false));
    if (launch::TakesEntry(facts_, launch, LimitsOf(false)) !=
        (way.ok() && way.value().form == launch::Form::kEntry)) {
      Fail("TakesEntry and WayOf differ");
    }
    if (!way.ok() || way.value().form != launch::Form::kEntry) return;
    hologram_stream_state stream{};
    hologram_launch_state& state = stream.launch;
    state.budget = 16;
    state.fault_lane = UINT64_MAX;
    Compare(IsProved(shape), IsRow(shape), "random entry",
            [&] { return info_.entry(buffers_.data(), scalars_.data(), &shape, &state); });
  }

  // Kernels of one row leave others to the table.
  bool IsRow(const hologram_launch_shape& shape) const {
    return launch::UnitsCover(info_.unit, shape);
  }

  void Launch() {
    const hologram_launch_shape two_blocks{{2, 1, 1}, {256, 1, 1}};
    const hologram_launch_shape plane{{1, 2, 1}, {16, 8, 1}};
    for (const hologram_launch_shape& shape : {two_blocks, plane}) {
      hologram_stream_state stream{};  // a kernel with phases writes behind the state of a launch
      hologram_launch_state& state = stream.launch;
      state.budget = 16;
      state.fault_lane = UINT64_MAX;
      Compare(IsProved(shape), IsRow(shape), "entry",
              [&] { return info_.entry(buffers_.data(), scalars_.data(), &shape, &state); });
    }
    // Other default launches are not left to the entry.
    if (info_.default_entry == nullptr || !facts_.bounds) return;
    const Result<hologram_launch_shape> shape = default_launch_.Resolve({}, buffers_, scalars_);
    bool proved = shape.ok() && shape.value().grid[0] != 0 && IsProved(shape.value());
    for (const hologram_buffer_ref& buffer : buffers_) proved &= buffer.bytes < kBytesLimit;
    hologram_stream_state stream;
    std::memset(&stream, 0xaa, sizeof stream);
    hologram_launch_state& state = stream.launch;
    Compare(proved, true, "default_entry", [&] {
      const int32_t outcome =
          info_.default_entry(buffers_.data(), scalars_.data(), kBytesLimit, &state);
      const bool faulted = outcome == HOLOGRAM_LAUNCH_FAULTED;
      if (faulted && (state.fault_code == 0 || state.fault_code > HOLOGRAM_FAULT_BUDGET)) {
        Fail("a fault that is none");
      }
      return faulted ? int32_t{HOLOGRAM_LAUNCH_DONE} : outcome;
    });
  }

  template <class Run>
  void Compare(bool proved, bool exact, const char* what, Run run) {
    if (proved && !IsReal()) return;
    const bool started = run() == HOLOGRAM_LAUNCH_DONE;
    ++(started ? launched : refused);
    if (started && !proved) Fail(std::string(what) + " starts what is not proved");
    if (!started && proved && exact && !HasEmpty())
      Fail(std::string(what) + " refuses what is proved");
  }

  void Fail(const std::string& what) {
    if (++failures > 20) return;
    std::printf("FAILED: %s: %s:", program_.program().name.c_str(), what.c_str());
    for (const hologram_buffer_ref& buffer : buffers_) {
      std::printf(" %+lld[%llu]", static_cast<long long>(AddressOf(buffer) - Begin()),
                  static_cast<unsigned long long>(buffer.bytes));
    }
    for (const uint64_t scalar : scalars_) {
      std::printf(" %llu", static_cast<unsigned long long>(scalar));
    }
    std::printf("\n");
  }

  const verify::VerifiedProgram& program_;
  const hologram_kernel_info& info_;
  launch::KernelFacts facts_;
  launch::DefaultShape default_launch_;
  std::vector<uint64_t> memory_;
  std::vector<hologram_buffer_ref> buffers_;
  std::vector<uint64_t> scalars_;
};

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
    if (!verified.ok() || !verified.value().races().empty()) continue;
    Options options;
    options.level = Level::kX86V2;
    const auto object = Compile(verified.value(), options, Output::kObject);
    if (!object.ok()) return 1;
    const auto code = runtime::NativeCode::Load(object.value());
    if (!code.ok()) return 1;
    Checker(verified.value(), *code.value().info()).Run();
  }
  std::printf("%zu launches started, %zu refused, %d failures\n", launched, refused, failures);
  return failures == 0 && launched > 0 ? 0 : 1;
}

}  // namespace
}  // namespace hologram::codegen

int main(int argc, char** argv) {
  return argc == 2 ? hologram::codegen::Main(argv[1]) : 2;
}
