#include "sigmatics/algebra/transform.h"

#include "base/check.h"

namespace hologram::sigmatics {
namespace {

uint8_t Modulo(int64_t amount, int64_t order) {
  const int64_t rest = amount % order;
  return static_cast<uint8_t>(rest < 0 ? rest + order : rest);
}

}  // namespace

Transform::Transform(int64_t r, int64_t d, int64_t t, bool m)
    : r_(Modulo(r, 4)), d_(Modulo(d, 3)), t_(Modulo(t, 8)), m_(m) {}

Transform Transform::FromIndex(uint32_t index) {
  HOLOGRAM_CHECK(index < kNumTransforms);
  return {index / 48, index / 16 % 3, index / 2 % 8, index % 2 != 0};
}

uint32_t Transform::index() const {
  return 48U * r_ + 16U * d_ + 2U * t_ + (m_ ? 1U : 0U);
}

SigilClass Transform::operator()(SigilClass c) const {
  Triple triple = c.triple();
  triple.h2 = static_cast<uint8_t>((triple.h2 + r_) % 4);
  triple.d = static_cast<uint8_t>((triple.d + d_) % 3);
  triple.l = static_cast<uint8_t>((triple.l + t_) % 8);
  if (m_) triple.d = static_cast<uint8_t>((3 - triple.d) % 3);
  return SigilClass::FromTriple(triple);
}

Transform Transform::Then(const Transform& outer) const {
  // Behind a mirror a step of D goes the other way.
  return {r_ + outer.r_, m_ ? d_ - outer.d_ : d_ + outer.d_, t_ + outer.t_, m_ != outer.m_};
}

Transform Transform::Inverse() const {
  return {-int64_t{r_}, m_ ? int64_t{d_} : -int64_t{d_}, -int64_t{t_}, m_};
}

std::vector<SigilClass> OrbitOf(SigilClass c, const std::vector<Transform>& generators) {
  std::array<bool, kNumSigilClasses> seen{};
  std::vector<SigilClass> pending = {c};
  seen[c.index()] = true;
  while (!pending.empty()) {
    const SigilClass next = pending.back();
    pending.pop_back();
    // The group is finite, so the generators alone reach what their inverses would.
    for (const Transform& generator : generators) {
      const SigilClass image = generator(next);
      if (seen[image.index()]) continue;
      seen[image.index()] = true;
      pending.push_back(image);
    }
  }
  std::vector<SigilClass> orbit;
  for (uint32_t i = 0; i < kNumSigilClasses; ++i) {
    if (seen[i]) orbit.push_back(*SigilClass::FromIndex(i));
  }
  return orbit;
}

std::vector<Transform> StabilizerOf(SigilClass c) {
  std::vector<Transform> stabilizer;
  for (uint32_t i = 0; i < kNumTransforms; ++i) {
    const Transform transform = Transform::FromIndex(i);
    if (transform(c) == c) stabilizer.push_back(transform);
  }
  return stabilizer;
}

std::array<SigilClass, 3> TrialityOrbitOf(SigilClass c) {
  const Triple triple = c.triple();
  return {SigilClass::FromTriple({triple.h2, 0, triple.l}),
          SigilClass::FromTriple({triple.h2, 1, triple.l}),
          SigilClass::FromTriple({triple.h2, 2, triple.l})};
}

}  // namespace hologram::sigmatics
