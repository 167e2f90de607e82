// The whole profile of one launch: counts by line, the time of native code by line, and the
// roofline: what the launch reached of what the machine can do. `hologram profile` and
// hologram_kernel_profile print it. Tested by tests/profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"
#include "profile/line_counts.h"
#include "profile/native_time.h"
#include "runtime/launchable.h"
#include "verify/verified_program.h"

namespace hologram::profile {

// All of one thread.
struct Roofline {
  double operations = 0;       // on floats, of one launch
  double bytes = 0;            // of elements that it reads or writes, each once per direction
  bool bytes_at_most = false;  // LaunchWork::bytes_at_most
  double seconds = 0;          // of one launch
  double most_operations = 0;  // a second: the probe of arithmetic, in the types of the kernel
  double most_bytes = 0;       // a second: the probe of memory over as many bytes; 0: no memory
  double memory_bytes = 0;     // the same over more than caches hold

  double intensity() const { return bytes == 0 ? 0 : operations / bytes; }
  // Operations a second that this intensity allows.
  double roof() const;
  // Whether memory is the lower roof, or the only one.
  bool is_memory_bound() const;
  // Of that roof, the share that was reached.
  double reached() const;
};

struct Profile {
  std::string kernel;
  std::vector<LineCount> lines;
  uint32_t width = kVectorLanes;  // of the vectors that lanes are counted in
  std::string counted_by;         // "x86-64-v3"; empty: the interpreter
  std::optional<NativeTime> native;
  std::string why_no_native;  // where there is none
  std::optional<Roofline> roofline;

  // Whether there are times by line.
  bool timed() const { return native && native->samples != 0; }
  // Shares of a line, 0 to 1: of all steps; of the time of native code.
  double StepsOf(const LineCount& line) const;
  double TimeOf(const LineCount& line) const;
};

// Runs the launch once, on the buffers that were given, in the interpreter, or in instrumented
// native code if config.engine is kCpu; then in native code on copies, then the probes. Errors:
// those of CountLaunch or CountNative, and CheckLaunch; kUnsupported for engines of devices.
// REQUIRES: a shape that was resolved.
Result<Profile> MakeProfile(const verify::VerifiedProgram& program, launch::Launch launch,
                            const runtime::LaunchConfig& config);

// The text of source files in lines: those that can be read, and one that was given.
class Sources {
 public:
  Sources() = default;
  // `text` in place of every file that cannot be read.
  explicit Sources(std::string_view text) : given_(LinesOf(text)) {}
  // Empty if there is no such line.
  std::string LineOf(const std::string& file, uint32_t number);

 private:
  static std::vector<std::string> LinesOf(std::string_view text);

  std::vector<std::string> given_;
  std::string file_;
  std::vector<std::string> lines_;
};

// The table and the lines below it.
std::string TextOf(const Profile& profile, Sources& sources);

// The table as an SVG file: a line is the warmer the more of the time it has, or of the steps where
// there are no times.
std::string LinesPictureOf(const Profile& profile, Sources& sources);

// The roofline as an SVG file. REQUIRES: profile.roofline
std::string PictureOf(const Profile& profile);

}  // namespace hologram::profile
