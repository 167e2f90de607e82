#include "device/write.h"

#include <cctype>

#include "device/ptx.h"
#include "device/spirv.h"

namespace hologram::device {
namespace {

// A name that every driver takes.
std::string EntryName(const std::string& name) {
  std::string entry;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    entry += byte < 128 && (std::isalnum(byte) != 0 || c == '_') ? c : '_';
  }
  const bool reserved = entry == "WARP_SZ";  // a constant of PTX
  if (reserved || entry.empty() || std::isdigit(static_cast<unsigned char>(entry[0])) != 0) {
    entry.insert(0, "kernel_");
  }
  return entry;
}

template <class Writer, class Kernel>
Status Fill(const verify::VerifiedProgram& program, Division division, Coarsening coarsening,
            Writer& writer, Kernel& kernel) {
  HOLOGRAM_ASSIGN_OR_RETURN(kernel.arguments, Lower(program, division, coarsening, writer));
  kernel.shared_bytes = writer.shared_bytes();
  kernel.uses_f64 = writer.uses_f64();
  kernel.uses_atomics64 = writer.uses_atomics64();
  return Success{};
}

// What to give for each parameter, for who launches the text without this library.
std::string Heading(const KernelCode& kernel) {
  constexpr const char* kKinds[] = {"buffer",     "extent", "scalar",   "budget", "rounds",
                                    "class_base", "blocks", "together", "fault"};
  const std::vector<Argument>& arguments = kernel.arguments;
  std::string heading = "// hologram: " + kernel.entry + "(";
  for (size_t k = 0; k < arguments.size(); ++k) {
    heading += k == 0 ? "" : ", ";
    heading += kKinds[static_cast<size_t>(arguments[k].kind)];
    if (arguments[k].kind <= Argument::Kind::kScalar) {
      heading += ' ';
      heading += std::to_string(arguments[k].parameter);
    }
  }
  return heading + ")\n";
}

}  // namespace

Result<SpirvKernel> WriteSpirv(const verify::VerifiedProgram& program, Division division) {
  SpirvKernel kernel;
  kernel.entry = EntryName(program.program().name);
  SpirvWriter writer(kernel.entry);
  HOLOGRAM_RETURN_IF_ERROR(Fill(program, division, Coarsening::kNever, writer, kernel));
  kernel.words = writer.Finish();
  return kernel;
}

Result<PtxKernel> WritePtx(const verify::VerifiedProgram& program) {
  PtxKernel kernel;
  kernel.entry = EntryName(program.program().name);
  PtxWriter writer(kernel.entry);
  // Division and roots of f32 are exact there (.rn).
  HOLOGRAM_RETURN_IF_ERROR(
      Fill(program, Division::kSingle, Coarsening::kWherePossible, writer, kernel));
  kernel.text = writer.Finish(Heading(kernel));
  return kernel;
}

}  // namespace hologram::device
