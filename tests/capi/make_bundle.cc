// Writes the bundle of the tests of the public interface: vector_add, with the hand-written native
// code of tests/runtime or without, and prints its trust hash. usage: make_bundle OUT native|plain
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>

#include "isa/bundle.h"
#include "runtime/native_add_text.h"
#include "text/text.h"

int main(int argc, char** argv) {
  using namespace hologram;
  if (argc != 3) return 2;
  const auto programs = text::Assemble(test::kAddText, "add.hasm");
  if (!programs.ok()) return 1;
  isa::BundleWriter writer;
  const size_t number = writer.AddProgram(programs.value()[0]);
  if (std::string_view(argv[2]) == "native") {
    std::ifstream object(HOLOGRAM_NATIVE_ADD, std::ios::binary);
    writer.AddNative(number, isa::NativeLevel::kX86V2,
                     std::vector<uint8_t>{std::istreambuf_iterator<char>(object), {}});
  }
  const std::vector<uint8_t> bytes = writer.Finish().value();
  std::ofstream(argv[1], std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  std::printf("%s\n", ToHex(isa::BundleReader::Open(bytes).value().trust_hash()).c_str());
  return 0;
}
