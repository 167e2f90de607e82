// Precompiled for the tests that use GoogleTest (tests/CMakeLists.txt). They include what they use
// all the same: the preset `clang` builds without.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>
