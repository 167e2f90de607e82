// What computes: each instruction as a loop over the lanes of a warp. Results that are NaN get the
// bits that the hardware gives, so that a missing canonical NaN shows.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <unordered_map>

#include "code.h"

namespace fakecuda {
namespace {

bool fma_is_broken = false;

template <class T>
T* Lanes(std::byte* frame, uint32_t slot) {
  return reinterpret_cast<T*>(frame + slot);
}

template <class T>
T Hardware(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return value != value ? std::bit_cast<float>(0x7fffffffU) : value;
  } else if constexpr (std::is_same_v<T, double>) {
    return value != value ? std::bit_cast<double>(~uint64_t{0} >> 1) : value;
  } else {
    return value;
  }
}

template <class D, class Of>
void Each(const Inst& in, std::byte* frame, const Mask& mask, const Of& of) {
  D* const out = Lanes<D>(frame, in.d);
  if (mask.full()) {
    for (uint32_t i = 0; i < kLanes; ++i) out[i] = of(i);
    return;
  }
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (mask.on[i] != 0) out[i] = of(i);
  }
}

template <class D, class S, class F>
void One(const Inst& in, std::byte* frame, const Mask& mask) {
  const S* const a = Lanes<S>(frame, in.a);
  Each<D>(in, frame, mask, [=](uint32_t i) { return Hardware(static_cast<D>(F()(a[i]))); });
}
template <class D, class S, class F>
void Two(const Inst& in, std::byte* frame, const Mask& mask) {
  const S* const a = Lanes<S>(frame, in.a);
  const S* const b = Lanes<S>(frame, in.b);
  Each<D>(in, frame, mask, [=](uint32_t i) { return Hardware(static_cast<D>(F()(a[i], b[i]))); });
}
template <class T, class F>
void Three(const Inst& in, std::byte* frame, const Mask& mask) {
  const T* const a = Lanes<T>(frame, in.a);
  const T* const b = Lanes<T>(frame, in.b);
  const T* const c = Lanes<T>(frame, in.c);
  Each<T>(in, frame, mask, [=](uint32_t i) { return Hardware(F()(a[i], b[i], c[i])); });
}

// Wraps. REQUIRES: T is unsigned, for integers.
struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct And {
  template <class T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  T operator()(T a) const {
    return ~a;
  }
};
struct NotTruth {
  uint32_t operator()(uint32_t a) const { return a ^ 1; }
};
struct Same {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};
struct Clear {
  template <class T>
  T operator()(T a) const {
    return std::signbit(a) ? std::fabs(a) : -std::fabs(a);
  }
};
struct Root {
  template <class T>
  T operator()(T a) const {
    return std::sqrt(a);
  }
};
struct PopCount {
  template <class T>
  int operator()(T a) const {
    return std::popcount(a);
  }
};
struct Zeros {
  template <class T>
  int operator()(T a) const {
    return std::countl_zero(a);
  }
};
struct Down {
  template <class T>
  T operator()(T a) const {
    return std::floor(a);
  }
};
struct Up {
  template <class T>
  T operator()(T a) const {
    return std::ceil(a);
  }
};
struct Cut {
  template <class T>
  T operator()(T a) const {
    return std::trunc(a);
  }
};
struct Even {
  template <class T>
  T operator()(T a) const {
    return std::nearbyint(a);
  }
};

// A divisor of zero gives what the hardware likes.
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a / b;
    } else {
      if (b == 0) return static_cast<T>(~T{0});
      if (std::is_signed_v<T> && b == static_cast<T>(-1))
        return static_cast<T>(
            Sub()(std::make_unsigned_t<T>(0), static_cast<std::make_unsigned_t<T>>(a)));
      return a / b;
    }
  }
};
struct Rem {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return a % b;
  }
};
struct High {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return static_cast<uint32_t>(uint64_t{a} * b >> 32);
  }
  uint64_t operator()(uint64_t a, uint64_t b) const {
    using Wide = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Wide>(a) * b >> 64);
  }
};
struct Fma {
  template <class T>
  T operator()(T a, T b, T c) const {
    if (fma_is_broken) {
      volatile T product = a * b;
      return product + c;
    }
    return std::fma(a, b, c);
  }
};
struct MadLow {
  template <class T>
  T operator()(T a, T b, T c) const {
    return a * b + c;
  }
};

template <class S>
void MadWide(const Inst& in, std::byte* frame, const Mask& mask) {
  using W = std::conditional_t<std::is_signed_v<S>, int64_t, uint64_t>;
  const S* const a = Lanes<S>(frame, in.a);
  const S* const b = Lanes<S>(frame, in.b);
  const uint64_t* const c = Lanes<uint64_t>(frame, in.c);
  Each<uint64_t>(in, frame, mask, [=](uint32_t i) {
    return static_cast<uint64_t>(static_cast<W>(a[i]) * static_cast<W>(b[i])) + c[i];
  });
}

// The amount is of 32 bits; one of the number of bits or more gives what is left of nothing.
template <class T, bool kLeft>
void Shift(const Inst& in, std::byte* frame, const Mask& mask) {
  const T* const a = Lanes<T>(frame, in.a);
  const uint32_t* const b = Lanes<uint32_t>(frame, in.b);
  constexpr uint32_t kBits = sizeof(T) * 8;
  Each<T>(in, frame, mask, [=](uint32_t i) -> T {
    if (kLeft) return b[i] >= kBits ? T{0} : static_cast<T>(a[i] << b[i]);
    if (b[i] >= kBits) return std::is_signed_v<T> && a[i] < 0 ? static_cast<T>(-1) : T{0};
    return static_cast<T>(a[i] >> b[i]);
  });
}

template <class T>
void Choose(const Inst& in, std::byte* frame, const Mask& mask) {
  const T* const a = Lanes<T>(frame, in.a);
  const T* const b = Lanes<T>(frame, in.b);
  const uint32_t* const c = Lanes<uint32_t>(frame, in.c);
  Each<T>(in, frame, mask, [=](uint32_t i) { return c[i] != 0 ? a[i] : b[i]; });
}

struct Eq {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct Ne {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b || a > b;
  }
};
struct Neu {
  template <class T>
  bool operator()(T a, T b) const {
    return !(a == b);
  }
};
struct Lt {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct Le {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Gt {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct Ge {
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};

// Toward zero, to the ends of what fits; NaN gives 0.
template <class D>
struct ToInteger {
  template <class S>
  D operator()(S a) const {
    if (a != a) return 0;
    constexpr S kAbove = static_cast<S>(std::numeric_limits<D>::max() / 2 + 1) * 2;
    if (a >= kAbove) return std::numeric_limits<D>::max();
    if (a < static_cast<S>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
    return static_cast<D>(a);
  }
};

// The low bits of an integer register, as a small type, extended.
template <class D, class Small, class S>
void Extend(const Inst& in, std::byte* frame, const Mask& mask) {
  const S* const a = Lanes<S>(frame, in.a);
  Each<D>(in, frame, mask, [=](uint32_t i) { return static_cast<D>(static_cast<Small>(a[i])); });
}

using Table = std::unordered_map<std::string, Step>;

template <class T, class F>
void AddBoth(Table& table, const std::string& name, const char* suffix) {
  table[name + "." + suffix] = Two<T, T, F>;
}

template <class S>
void AddCompares(Table& table, const std::string& type) {
  table["setp.eq." + type] = Two<uint32_t, S, Eq>;
  table["setp.ne." + type] = Two<uint32_t, S, Ne>;
  table["setp.lt." + type] = Two<uint32_t, S, Lt>;
  table["setp.le." + type] = Two<uint32_t, S, Le>;
  table["setp.gt." + type] = Two<uint32_t, S, Gt>;
  table["setp.ge." + type] = Two<uint32_t, S, Ge>;
  if constexpr (std::is_floating_point_v<S>) table["setp.neu." + type] = Two<uint32_t, S, Neu>;
}

template <class U, class S>
void AddIntegers(Table& table, const std::string& bits) {
  for (const char* const sign : {"u", "s"}) {
    table["add." + (sign + bits)] = Two<U, U, Add>;
    table["sub." + (sign + bits)] = Two<U, U, Sub>;
    table["mul.lo." + (sign + bits)] = Two<U, U, Mul>;
  }
  table["mul.hi.u" + bits] = Two<U, U, High>;
  table["div.u" + bits] = Two<U, U, Div>;
  table["div.s" + bits] = Two<S, S, Div>;
  table["rem.u" + bits] = Two<U, U, Rem>;
  table["rem.s" + bits] = Two<S, S, Rem>;
  table["and.b" + bits] = Two<U, U, And>;
  table["or.b" + bits] = Two<U, U, Or>;
  table["xor.b" + bits] = Two<U, U, Xor>;
  table["not.b" + bits] = One<U, U, Not>;
  table["shl.b" + bits] = Shift<U, true>;
  table["shr.u" + bits] = Shift<U, false>;
  table["shr.s" + bits] = Shift<S, false>;
  table["popc.b" + bits] = One<uint32_t, U, PopCount>;
  table["clz.b" + bits] = One<uint32_t, U, Zeros>;
  table["selp.b" + bits] = Choose<U>;
  table["mov.b" + bits] = table["mov.u" + bits] = One<U, U, Same>;
  AddCompares<U>(table, "u" + bits);
  AddCompares<S>(table, "s" + bits);
}

template <class T, class U>
void AddFloats(Table& table, const std::string& type) {
  table["add.rn." + type] = Two<T, T, Add>;
  table["sub.rn." + type] = Two<T, T, Sub>;
  table["mul.rn." + type] = Two<T, T, Mul>;
  table["div.rn." + type] = Two<T, T, Div>;
  table["fma.rn." + type] = Three<T, Fma>;
  table["sqrt.rn." + type] = One<T, T, Root>;
  table["neg." + type] = One<T, T, Clear>;
  table["selp." + type] = Choose<U>;
  table["mov." + type] = One<U, U, Same>;
  table["cvt.rmi." + type + "." + type] = One<T, T, Down>;
  table["cvt.rpi." + type + "." + type] = One<T, T, Up>;
  table["cvt.rzi." + type + "." + type] = One<T, T, Cut>;
  table["cvt.rni." + type + "." + type] = One<T, T, Even>;
  table["cvt.rn." + type + ".s32"] = One<T, int32_t, Same>;
  table["cvt.rn." + type + ".u32"] = One<T, uint32_t, Same>;
  table["cvt.rn." + type + ".s64"] = One<T, int64_t, Same>;
  table["cvt.rn." + type + ".u64"] = One<T, uint64_t, Same>;
  table["cvt.rzi.s32." + type] = One<int32_t, T, ToInteger<int32_t>>;
  table["cvt.rzi.u32." + type] = One<uint32_t, T, ToInteger<uint32_t>>;
  table["cvt.rzi.s64." + type] = One<int64_t, T, ToInteger<int64_t>>;
  table["cvt.rzi.u64." + type] = One<uint64_t, T, ToInteger<uint64_t>>;
  AddCompares<T>(table, type);
}

Table MakeTable() {
  Table table;
  AddIntegers<uint32_t, int32_t>(table, "32");
  AddIntegers<uint64_t, int64_t>(table, "64");
  AddFloats<float, uint32_t>(table, "f32");
  AddFloats<double, uint64_t>(table, "f64");
  table["mad.lo.s64"] = Three<uint64_t, MadLow>;
  table["mad.lo.s32"] = Three<uint32_t, MadLow>;
  table["mad.wide.s32"] = MadWide<int32_t>;
  table["mad.wide.u32"] = MadWide<uint32_t>;
  table["and.pred"] = Two<uint32_t, uint32_t, And>;
  table["or.pred"] = Two<uint32_t, uint32_t, Or>;
  table["xor.pred"] = Two<uint32_t, uint32_t, Xor>;
  table["not.pred"] = One<uint32_t, uint32_t, NotTruth>;
  table["mov.pred"] = One<uint32_t, uint32_t, Same>;
  table["cvt.f64.f32"] = One<double, float, Same>;
  table["cvt.rn.f32.f64"] = One<float, double, Same>;
  table["cvt.u64.u32"] = Extend<uint64_t, uint32_t, uint32_t>;
  table["cvt.s64.s32"] = Extend<int64_t, int32_t, uint32_t>;
  table["cvt.u32.u64"] = Extend<uint32_t, uint64_t, uint64_t>;
  table["cvt.u64.u8"] = Extend<uint64_t, uint8_t, uint32_t>;
  table["cvt.u64.u16"] = Extend<uint64_t, uint16_t, uint32_t>;
  table["cvt.s64.s8"] = Extend<int64_t, int8_t, uint32_t>;
  table["cvt.s64.s16"] = Extend<int64_t, int16_t, uint32_t>;
  table["cvt.s32.s8"] = Extend<int32_t, int8_t, uint32_t>;
  table["cvt.s32.s16"] = Extend<int32_t, int16_t, uint32_t>;
  // Of a register of 64 bits: src/device narrows those of 32 by AND.
  table["cvt.u32.u8"] = Extend<uint32_t, uint8_t, uint64_t>;
  table["cvt.u32.u16"] = Extend<uint32_t, uint16_t, uint64_t>;
  return table;
}

}  // namespace

Step FindStep(const std::vector<std::string>& op) {
  static const Table table = MakeTable();
  std::string name;
  for (const std::string& part : op) name += (name.empty() ? "" : ".") + part;
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

void BreakFma() {
  fma_is_broken = true;
}

}  // namespace fakecuda
