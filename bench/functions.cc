// The mathematical functions: the precise forms against SLEEF (1 ulp class) and libmvec (4 ulp),
// the fast ones against libmvec. Inputs in the ordinary range of each.
#include "function_peers.h"
#include "workbench.h"

namespace hologram::bench {
namespace {

constexpr uint32_t kCount = 3072;

struct Bars {
  double libmvec = 1.5;
  double sleef = 0.75;
};

struct Unary {
  const char* name;
  double low;
  double high;
  void (*libmvec)(const float*, float*, uint32_t);
  void (*sleef)(const float*, float*, uint32_t);
  void (*libmvec_f64)(const double*, double*, uint32_t);
  bool has_fast = true;
  const char* peer = "libmvec loop (4 ulp)";
  Bars bars = {};
};

struct Binary {
  const char* name;
  double low[2];
  double high[2];
  void (*libmvec)(const float*, const float*, float*, uint32_t);
  void (*sleef)(const float*, const float*, float*, uint32_t);
  void (*libmvec_f64)(const double*, const double*, double*, uint32_t);
};

constexpr double kF64Bar = 1.75;
constexpr double kFastBar = 0.8;
constexpr const char* kSleefName = "SLEEF u10 loop (1 ulp)";

// exp has a bar of its own. The sigmoid's peers are their exp and a division that is ours as well.
const Unary kUnary[] = {
    {"exp", -20, 20, ExpLoop, ExpSleef, ExpLoop64, true, "libmvec loop (4 ulp)", {0.85, 0.75}},
    {"exp2", -20, 20, Exp2Loop, Exp2Sleef, Exp2Loop64},
    {"expm1", -5, 5, Expm1Loop, Expm1Sleef, Expm1Loop64},
    {"log", 0.01, 100, LogLoop, LogSleef, LogLoop64},
    {"log2", 0.01, 100, Log2Loop, Log2Sleef, Log2Loop64},
    {"log10", 0.01, 100, Log10Loop, Log10Sleef, Log10Loop64},
    {"log1p", -0.9, 10, Log1pLoop, Log1pSleef, Log1pLoop64},
    {"sin", -10, 10, SinLoop, SinSleef, SinLoop64},
    {"cos", -10, 10, CosLoop, CosSleef, CosLoop64},
    {"tan", -10, 10, TanLoop, TanSleef, TanLoop64, false},
    {"tanh", -4, 4, TanhLoop, TanhSleef, TanhLoop64},
    {"erf", -3, 3, ErfLoop, ErfSleef, ErfLoop64},
    {"sigmoid",
     -20,
     20,
     SigmoidLoop,
     SigmoidSleef,
     SigmoidLoop64,
     true,
     "libmvec loop (4 ulp)",
     {1.35, 1.1}},
    {"rsqrt", 0.01, 100, RsqrtLoop, nullptr, RsqrtLoop64, false, "C loop (rsqrt, Newton)"},
};

const Binary kBinary[] = {
    {"pow", {0.1, -4}, {10, 4}, PowLoop, PowSleef, PowLoop64},
    {"atan2", {-1, -1}, {1, 1}, Atan2Loop, Atan2Sleef, Atan2Loop64},
};

void Measure(Executor& executor, Report& report, const Unary& f) {
  const std::string name = std::string("map_") + f.name;
  const std::string size = SizeName(kCount);
  Floats x = Filled(kCount, f.low, f.high);
  Floats y(kCount);
  const auto against = [&](const std::string& kernel_name, const Case& c, auto peer) {
    auto kernel = NativeOf<Floats, Floats, uint32_t>(executor, kernel_name);
    report.AgainstPeer(
        c, [&] { kernel(x, y, kCount), Clobber(y.data()); },
        [&] { peer(x.data(), y.data(), kCount), Clobber(y.data()); });
  };
  const std::string precise = std::string("f32 ") + f.name + " precise";
  if (f.sleef != nullptr) {
    against(name + "_f32", {precise, size, kSleefName, f.bars.sleef}, f.sleef);
  }
  against(name + "_f32", {precise, size, f.peer, f.bars.libmvec}, f.libmvec);
  if (f.has_fast) {
    against(name + "_fast", {std::string("f32 ") + f.name + " fast", size, f.peer, kFastBar},
            f.libmvec);
  }
  Buffer<double> x64 = Filled<double>(kCount, f.low, f.high);
  Buffer<double> y64(kCount);
  auto kernel = NativeOf<Buffer<double>, Buffer<double>, uint32_t>(executor, name + "_f64");
  report.AgainstPeer(
      {std::string("f64 ") + f.name, size, f.peer, kF64Bar},
      [&] { kernel(x64, y64, kCount), Clobber(y64.data()); },
      [&] { f.libmvec_f64(x64.data(), y64.data(), kCount), Clobber(y64.data()); });
}

void Measure(Executor& executor, Report& report, const Binary& f) {
  const std::string name = std::string("map_") + f.name;
  const std::string size = SizeName(kCount);
  const std::string libmvec = "libmvec loop (4 ulp)";
  Floats x = Filled(kCount, f.low[0], f.high[0]);
  Floats y = Filled(kCount + 1, f.low[1], f.high[1]);  // other numbers than those of x
  Floats out(kCount);
  const auto against = [&](const std::string& kernel_name, const Case& c, auto peer) {
    auto kernel = NativeOf<Floats, Floats, Floats, uint32_t>(executor, kernel_name);
    report.AgainstPeer(
        c, [&] { kernel(x, y, out, kCount), Clobber(out.data()); },
        [&] { peer(x.data(), y.data(), out.data(), kCount), Clobber(out.data()); });
  };
  const std::string precise = std::string("f32 ") + f.name + " precise";
  against(name + "_f32", {precise, size, kSleefName, 0.75}, f.sleef);
  against(name + "_f32", {precise, size, libmvec, 1.5}, f.libmvec);
  against(name + "_fast", {std::string("f32 ") + f.name + " fast", size, libmvec, kFastBar},
          f.libmvec);
  Buffer<double> x64 = Filled<double>(kCount, f.low[0], f.high[0]);
  Buffer<double> y64 = Filled<double>(kCount, f.low[1], f.high[1]);
  Buffer<double> out64(kCount);
  auto kernel =
      NativeOf<Buffer<double>, Buffer<double>, Buffer<double>, uint32_t>(executor, name + "_f64");
  report.AgainstPeer(
      {std::string("f64 ") + f.name, size, libmvec, kF64Bar},
      [&] { kernel(x64, y64, out64, kCount), Clobber(out64.data()); },
      [&] { f.libmvec_f64(x64.data(), y64.data(), out64.data(), kCount), Clobber(out64.data()); });
}

}  // namespace

void Functions(Executor& executor, Report& report) {
  for (const Unary& f : kUnary) Measure(executor, report, f);
  for (const Binary& f : kBinary) Measure(executor, report, f);
  auto gelu = NativeOf<Floats, Floats, uint32_t>(executor, "gelu_tanh");
  auto gelu_fast = NativeOf<Floats, Floats, uint32_t>(executor, "gelu_tanh_fast");
  Floats x = Filled(kCount, -4, 4);
  Floats y(kCount);
  const auto libmvec = [&] { GeluLoop(x.data(), y.data(), kCount), Clobber(y.data()); };
  report.AgainstPeer(
      {"f32 gelu (tanh) precise", SizeName(kCount), "libmvec loop (4 ulp)", 1.5},
      [&] { gelu(x, y, kCount), Clobber(y.data()); }, libmvec);
  report.AgainstPeer(
      {"f32 gelu (tanh) fast", SizeName(kCount), "libmvec loop (4 ulp)", 0.7},
      [&] { gelu_fast(x, y, kCount), Clobber(y.data()); }, libmvec);
}

}  // namespace hologram::bench
