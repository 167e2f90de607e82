// Whether a device computes the bits that everything here rests on.
#pragma once

#include <string>

namespace hologram::engines::devices {

class Device;

// Runs FMA, division, square root, product and sum of numbers, subnormals, infinities and NaN on
// the device and in the interpreter. Empty: the bits are equal; else which are not, or why it did
// not run.
std::string Probe(Device& device);

}  // namespace hologram::engines::devices
