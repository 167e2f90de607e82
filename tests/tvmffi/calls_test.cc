// Functions of a library of `hologram compile --emit tvm-ffi`, called as tvm-ffi calls them, with
// whatever arguments there are: nothing but memory that they describe is touched, and each refusal
// has its kind and its words. This program takes the place of libtvm_ffi.
// usage: tvmffi_calls_test [options of GoogleTest] LIBRARY
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/guarded_pages.h"
#include "tvmffi/abi.h"

namespace {

using hologram::isa::DlTensor;
using hologram::tests::GuardedPages;
using namespace hologram::tvmffi;

void* library = nullptr;
thread_local std::string raised;

}  // namespace

extern "C" [[gnu::visibility("default")]] void TVMFFIErrorSetRaisedFromCStr(const char* kind,
                                                                            const char* message) {
  raised = std::string(kind) + ": " + message;
}

namespace {

Function Find(const std::string& name) {
  void* const symbol = dlsym(library, (kFunctionPrefix + name).c_str());
  return reinterpret_cast<Function>(symbol);
}

Any Int(int64_t value) {
  Any any{kInt, 0, {value}};
  return any;
}
Any Real(double value) {
  Any any{kFloat, 0, {0}};
  any.value.real = value;
  return any;
}
Any Pointer(int32_t type, const void* pointer) {
  Any any{type, 0, {0}};
  any.value.pointer = pointer;
  return any;
}

constexpr hologram::isa::DlType kF32 = {2, 32, 1};
constexpr hologram::isa::DlType kF64 = {2, 64, 1};

// Elements that end where untouchable memory begins.
template <class T>
struct Array {
  explicit Array(int64_t count, hologram::isa::DlType type, T value = {})
      : pages(static_cast<size_t>(count) * sizeof(T)), shape{count} {
    data = reinterpret_cast<T*>(pages.end()) - count;
    for (int64_t k = 0; k < count; ++k) data[k] = value;
    tensor = {data, {1, 0}, 1, type, shape, nullptr, 0};
  }
  Any View() const { return Pointer(kTensorView, &tensor); }

  GuardedPages pages;
  int64_t shape[1];
  T* data;
  DlTensor tensor;
};

// "": it ran, and gave None.
std::string Call(const char* name, const std::vector<Any>& arguments) {
  const Function function = Find(name);
  if (function == nullptr) return "no such function";
  raised.clear();
  Any result{kPythonObject, 7, {7}};
  const int code =
      function(nullptr, arguments.data(), static_cast<int32_t>(arguments.size()), &result);
  if (code == 0 && (result.type_index != kNone || result.small_size != 0 || !raised.empty())) {
    return "a result that is not None";
  }
  if (code != 0 && raised.empty()) return "nothing was raised";
  return raised;
}

struct Scale {
  Array<float> x{1000, kF32, 3};
  Array<float> y{1000, kF32};
  std::string Run(const Any& a, const Any& left, const Any& right, const Any& n) const {
    return Call("scale", {a, left, right, n});
  }
  std::string Of(const DlTensor& tensor) const {
    return Run(Real(2), Pointer(kTensorView, &tensor), y.View(), Int(1));
  }
};

TEST(Calls, ThreadsMayBeTheFirst) {
  std::vector<std::thread> threads;
  std::vector<std::string> errors(8);
  threads.reserve(errors.size());
  for (size_t k = 0; k < errors.size(); ++k) {
    threads.emplace_back([&errors, k] {
      for (int round = 0; round < 2000 && errors[k].empty(); ++round) {
        const Array<float> x(100, kF32, 1);
        const Array<float> y(100, kF32);
        errors[k] = Call("scale", {Real(3), x.View(), y.View(), Int(100)});
        if (y.data[99] != 3) errors[k] += "another value";
        const std::string fault = Call("scale", {Real(3), x.View(), y.View(), Int(101)});
        if (fault.find("x[i] reads element 100 of 100") == fault.npos) errors[k] += fault + "!";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) EXPECT_EQ(error, "");
}

TEST(Calls, WriteWhatTheKernelDoes) {
  const Scale scale;
  EXPECT_EQ(scale.Run(Real(2), scale.x.View(), scale.y.View(), Int(999)), "");
  EXPECT_EQ(scale.y.data[998], 6);
  EXPECT_EQ(scale.y.data[999], 0);
  const TensorObject object = {{1, kTensor, 0, nullptr}, scale.x.tensor};
  EXPECT_EQ(scale.Run(Int(4), Pointer(kTensor, &object), scale.y.View(), Int(1000)), "");
  EXPECT_EQ(scale.y.data[999], 12);
  EXPECT_EQ(Find("other"), nullptr);
}

TEST(Calls, NumbersKeepTheirValueOrAreRefused) {
  Array<uint64_t> out(4, {1, 64, 1});
  struct {
    Object header;
    uint64_t size;
    uint64_t words[2];
  } big = {{1, kBigInt, 0, nullptr}, 2, {UINT64_MAX - 9, 0}};
  EXPECT_EQ(Call("bits", {Pointer(kBigInt, &big), Int(5), out.View(), Int(4)}), "");
  EXPECT_EQ(out.data[3], UINT64_MAX - 9 + 3 + 5);
  big.words[1] = 1;
  EXPECT_EQ(Call("bits", {Pointer(kBigInt, &big), Int(0), out.View(), Int(4)}),
            "ValueError: kernel 'bits': 'a' expects u64, found an int beyond 64 bits");
  EXPECT_EQ(Call("bits", {Pointer(kBigInt, nullptr), Int(0), out.View(), Int(4)}),
            "ValueError: kernel 'bits': 'a' expects u64, found an int beyond 64 bits");
  EXPECT_EQ(Call("bits", {Int(-1), Int(0), out.View(), Int(4)}),
            "ValueError: kernel 'bits': 'a' expects u64, found -1 of type i64");
  EXPECT_EQ(Call("bits", {Int(1), Int(128), out.View(), Int(4)}),
            "ValueError: kernel 'bits': 'b' expects i8, found 128 of type i64");
  EXPECT_EQ(Call("bits", {Int(1), Real(1), out.View(), Int(4)}),
            "ValueError: kernel 'bits': 'b' expects i8, found 1.000000 of type f64");
  const Scale scale;
  EXPECT_EQ(scale.Run(Real(1e300), scale.x.View(), scale.y.View(), Int(4)).substr(0, 46),
            "ValueError: kernel 'scale': 'a' expects f32, f");
  EXPECT_EQ(scale.Run(Int((1 << 24) + 1), scale.x.View(), scale.y.View(), Int(4)),
            "ValueError: kernel 'scale': 'a' expects f32, found 16777217 of type i64");
}

TEST(Calls, OtherTypesAreRefusedByName) {
  const Scale scale;
  const Any x = scale.x.View();
  const Any y = scale.y.View();
  EXPECT_EQ(scale.Run(Pointer(kRawText, "text"), x, y, Int(1)),
            "TypeError: kernel 'scale': 'a' expects f32, found str");
  EXPECT_EQ(scale.Run(Int(1), Pointer(kNone, nullptr), y, Int(1)),
            "TypeError: kernel 'scale': 'x' expects an array of f32, found None");
  EXPECT_EQ(scale.Run(Int(1), Pointer(kTensorView, nullptr), y, Int(1)),
            "TypeError: kernel 'scale': 'x' expects an array of f32, found a tensor at NULL");
  EXPECT_EQ(scale.Run(x, x, y, Int(1)),
            "TypeError: kernel 'scale': 'a' expects f32, found a tensor");
  EXPECT_EQ(scale.Run(Int(1), Int(1), y, Int(1)),
            "TypeError: kernel 'scale': 'x' expects an array of f32, found int");
  const Array<double> wide(1000, kF64);
  EXPECT_EQ(scale.Run(Int(1), wide.View(), y, Int(1)),
            "TypeError: kernel 'scale': 'x' expects an array of f32, found an array of f64");
  // Objects that are not looked into.
  for (int32_t type = -3; type < 200; ++type) {
    if (type == kTensorView || type == kTensor) continue;
    const Any odd = Pointer(type, reinterpret_cast<const void*>(uintptr_t{1}));
    EXPECT_TRUE(scale.Run(Int(1), x, odd, Int(1))
                    .starts_with("TypeError: kernel 'scale': 'y' expects an array of f32, found "))
        << type;
  }
}

TEST(Calls, AnotherNumberOfArgumentsIsRefused) {
  const std::string expects = "TypeError: kernel 'scale' expects 4 arguments (a, x, y, n), found ";
  EXPECT_EQ(Call("scale", {}), expects + "0");
  EXPECT_EQ(Call("scale", {Int(1), Int(1), Int(1)}), expects + "3");
  EXPECT_EQ(Call("scale", std::vector<Any>(100, Int(1))), expects + "100");
  const Any one = Int(1);
  Any result;
  for (const int32_t count : {-1, std::numeric_limits<int32_t>::min()}) {
    EXPECT_NE(Find("scale")(nullptr, &one, count, &result), 0);
    EXPECT_EQ(raised, expects + "0");
  }
  EXPECT_NE(Find("scale")(nullptr, nullptr, 4, &result), 0);
  EXPECT_EQ(raised, expects + "0");
}

TEST(Calls, TensorsThatDescribeNoMemoryAreRefused) {
  const Scale scale;
  const auto refused = [&](const char* why, const auto& change) {
    DlTensor tensor = scale.x.tensor;
    change(tensor);
    EXPECT_EQ(scale.Of(tensor), std::string("ValueError: kernel 'scale': 'x' ") + why);
  };
  int64_t shape[3] = {10, -1, 0};
  int64_t huge[3] = {int64_t{1} << 40, int64_t{1} << 40, 1};
  int64_t strides[3] = {std::numeric_limits<int64_t>::max(), 100, 1};
  refused("has a number of dimensions that no array has", [](DlTensor& t) { t.rank = -1; });
  refused("has a number of dimensions that no array has", [](DlTensor& t) { t.rank = 1 << 30; });
  refused("has no shape", [](DlTensor& t) { t.shape = nullptr; });
  refused("has a dimension below zero", [&](DlTensor& t) { t.rank = 3, t.shape = shape; });
  refused("has a size that no memory has", [&](DlTensor& t) { t.rank = 2, t.shape = huge; });
  refused("has no memory", [](DlTensor& t) { t.data = nullptr; });
  refused("is at an address that no memory has",
          [](DlTensor& t) { t.byte_offset = std::numeric_limits<uint64_t>::max() - 4; });
  refused("is not C-contiguous", [&](DlTensor& t) { t.strides = strides; });
  refused("is not C-contiguous", [&](DlTensor& t) { t.strides = strides + 1; });
  refused("is on cuda:1, and expected in the memory of the CPU",
          [](DlTensor& t) { t.device = {2, 1}; });
  refused("is on device type 77:0, and expected in the memory of the CPU",
          [](DlTensor& t) { t.device = {77, 0}; });
  refused("is on device type -2:0, and expected in the memory of the CPU",
          [](DlTensor& t) { t.device = {-2, 0}; });
  DlTensor odd = scale.x.tensor;
  odd.type = {2, 32, 4};
  EXPECT_EQ(scale.Of(odd),
            "TypeError: kernel 'scale': 'x' expects an array of f32, found an array of DLPack type "
            "2 of 32 bits and 4 lanes");
}

TEST(Calls, MemoryIsWhatTheTensorSays) {
  const Scale scale;
  DlTensor x = scale.x.tensor;
  int64_t stride = 1;
  int64_t several[3] = {10, 10, 10};
  x.strides = &stride;
  EXPECT_EQ(scale.Of(x), "");
  x = scale.x.tensor;
  x.rank = 3;
  x.shape = several;
  EXPECT_EQ(scale.Of(x), "");
  // Of an extent of 1, or with no element, strides say nothing.
  int64_t ones[2] = {1000, 1};
  int64_t wild[2] = {1, 12345};
  x = scale.x.tensor;
  x.rank = 2;
  x.shape = ones;
  x.strides = wild;
  EXPECT_EQ(scale.Of(x), "");
  // The offset counts, also where it makes elements odd.
  x = scale.x.tensor;
  int64_t fewer = 999;
  x.shape = &fewer;
  scale.x.data[1] = 50;
  x.byte_offset = 4;
  EXPECT_EQ(scale.Of(x), "");
  EXPECT_EQ(scale.y.data[0], 100);
  const float five = 5;
  std::memcpy(reinterpret_cast<char*>(scale.x.data) + 1, &five, 4);
  x.byte_offset = 1;
  EXPECT_EQ(scale.Of(x), "");
  EXPECT_EQ(scale.y.data[0], 10);
  // No element.
  int64_t none = 0;
  x = scale.x.tensor;
  x.shape = &none;
  x.data = nullptr;
  EXPECT_EQ(scale.Run(Int(2), Pointer(kTensorView, &x), Pointer(kTensorView, &x), Int(0)), "");
}

TEST(Calls, FaultsAreErrorsWithTheirPlace) {
  const Scale scale;
  EXPECT_EQ(scale.Run(Int(2), scale.x.View(), scale.y.View(), Int(1001)),
            "RuntimeError: kernels.py:9:20: error: x[i] reads element 1000 of 1000 (i = 1000)");
  const Array<int32_t> a(5, {0, 32, 1}, 7);
  const Array<int32_t> b(5, {0, 32, 1}, 2);
  const Array<int32_t> out(5, {0, 32, 1});
  const std::vector<Any> given = {a.View(), b.View(), out.View(), Int(5)};
  EXPECT_EQ(Call("quotient", given), "");
  EXPECT_EQ(out.data[4], 3);
  b.data[4] = 0;
  EXPECT_TRUE(Call("quotient", given).starts_with("RuntimeError: kernels.py:33:"));
  // A launch after a fault is like any other.
  b.data[4] = 7;
  EXPECT_EQ(Call("quotient", given), "");
}

TEST(Calls, RacesAreRefused) {
  const Array<int32_t> x(50, {0, 32, 1}, 7);
  const Array<int32_t> out(50, {0, 32, 1});
  const std::string found = Call("races", {x.View(), out.View(), Int(50)});
  EXPECT_TRUE(found.find("kernels.py:39:") != std::string::npos) << found;
  EXPECT_EQ(out.data[7], 0);
  const Scale scale;  // memory that is read and written, one element apart
  DlTensor shifted = scale.x.tensor;
  int64_t fewer = 999;
  shifted.shape = &fewer;
  shifted.byte_offset = 4;
  EXPECT_NE(scale.Run(Int(2), scale.x.View(), Pointer(kTensorView, &shifted), Int(999)), "");
}

TEST(Calls, HalvesAndTruthValuesAreWhatDlpackCallsThem) {
  const Array<uint16_t> x(20, {2, 16, 1}, 0x3e00);
  const Array<uint16_t> y(20, {4, 16, 1});
  const Array<uint8_t> flag(20, {6, 8, 1}, 1);
  EXPECT_EQ(Call("halves", {x.View(), y.View(), flag.View(), Int(20)}), "");
  EXPECT_EQ(y.data[19], 0x3fc0);
  EXPECT_EQ(Call("halves", {y.View(), y.View(), flag.View(), Int(20)}),
            "TypeError: kernel 'halves': 'x' expects an array of f16, found an array of bf16");
}

TEST(Calls, RowsMayBeApart) {
  const Array<double> x(12, kF64, 1);
  const Array<double> y(12, kF64);
  int64_t shape[2] = {3, 3};
  int64_t apart[2] = {4, 1};
  int64_t backward[2] = {-4, 1};
  int64_t huge[2] = {std::numeric_limits<int64_t>::max(), 1};
  int64_t columns[2] = {1, 3};
  DlTensor from = x.tensor;
  DlTensor to = y.tensor;
  to.rank = from.rank = 2;
  to.shape = from.shape = shape;
  const auto run = [&] {
    return Call("rows", {Pointer(kTensorView, &from), Pointer(kTensorView, &to)});
  };
  EXPECT_EQ(run(), "");
  EXPECT_EQ(y.data[8], 3);
  to.strides = apart;
  EXPECT_EQ(run(), "");
  EXPECT_EQ(y.data[10], 3);
  EXPECT_EQ(y.data[11], 0);
  to.strides = backward;
  EXPECT_EQ(run(), "ValueError: kernel 'rows': 'y' has strides that do not lead forward");
  to.strides = huge;
  EXPECT_EQ(run(), "ValueError: kernel 'rows': 'y' has a size that no memory has");
  to.strides = columns;
  EXPECT_TRUE(run().starts_with("ValueError: array 'y' has gaps in its last dimension")) << run();
  to.strides = nullptr;
  from.rank = 1;
  EXPECT_EQ(run(), "ValueError: array 'x' needs 2 dimensions; the argument has 1");
}

// Any argument at all: each is refused or runs, and untouchable memory stays so.
TEST(Calls, ChangedTensorsNeverLeaveTheirMemory) {
  const Scale scale;
  std::mt19937_64 random(1);
  const auto pick = [&](std::initializer_list<int64_t> values) {
    return *(values.begin() + random() % values.size());
  };
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int ran = 0;
  int64_t shape[4];
  int64_t strides[4];
  for (int round = 0; round < 200'000; ++round) {
    DlTensor tensor = scale.x.tensor;
    tensor.rank = static_cast<int32_t>(pick({0, 1, 1, 2, 3, 4, -1, kMost}));
    tensor.shape = random() % 16 == 0 ? nullptr : shape;
    tensor.strides = random() % 2 == 0 ? nullptr : strides;
    if (tensor.rank > 4 || tensor.rank < 0) tensor.shape = nullptr;
    for (int d = 0; d < 4; ++d) {
      shape[d] = pick({0, 1, 1, 2, 5, 10, -1, -kMost, kMost, int64_t{1} << 32});
      strides[d] = pick({1, 1, 2, 5, 10, 20, 0, -1, kMost, -kMost});
    }
    // Memory that a tensor says is there is taken to be: sizes beyond it have no address here.
    int64_t elements = 1;
    bool is_large = false;
    for (int d = 0; d < tensor.rank && d < 4; ++d) {
      is_large |= __builtin_mul_overflow(elements, shape[d], &elements) || elements > 1000;
    }
    if (is_large || random() % 16 == 0) tensor.data = nullptr;
    tensor.type.lanes = static_cast<uint16_t>(pick({1, 1, 1, 1, 1, 0, 4}));
    tensor.type.bits = static_cast<uint8_t>(pick({32, 32, 32, 32, 32, 64, 8, 0, 255}));
    const Any n = Int(pick({0, 1, 2, 5, 10, 1000, 1001, -1, kMost}));
    const TensorObject object = {{1, kTensor, 0, nullptr}, tensor};
    const Any changed =
        random() % 8 == 0 ? Pointer(kTensor, &object) : Pointer(kTensorView, &tensor);
    const bool is_read = random() % 2 == 0;
    const Any other = scale.y.View();
    ran += scale.Run(Real(2), is_read ? changed : other, is_read ? other : changed, n).empty();
  }
  EXPECT_GT(ran, 1000);
}

}  // namespace

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (count != 2) return 2;
  library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("FAIL %s\n", dlerror());
    return 1;
  }
  return RUN_ALL_TESTS();
}
