// Bundles that a program writes: from kernel JSON, circuits and other bundles, with native code and
// without. usage: bundle_test plugin|none KERNELS.json
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "hologram/hologram.hpp"

namespace {

using hologram::Bundle;

int failures = 0;

void Expect(bool condition, const std::string& what) {
  if (condition) return;
  std::printf("FAIL %s\n", what.c_str());
  ++failures;
}

template <class F>
void ExpectError(const F& function, const std::string& expected) {
  std::string found = "no error";
  try {
    function();
  } catch (const hologram::Error& error) {
    found = error.what();
  }
  if (found.find(expected) != std::string::npos) return;
  std::printf("FAIL expected %s\n     found    %s\n", expected.c_str(), found.c_str());
  ++failures;
}

constexpr const char* kCircuit = "(f32 c00, f32 $a) -> (f32 c01) over n merge:mul@c00[$a,c01]";

std::vector<std::byte> BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

// `kernel`: y = a * x. Returns its path().
std::string RunScale(const Bundle& bundle, const std::string& expect) {
  hologram::Executor exec = hologram::Executor::make_private();
  exec.load(bundle.data(), expect);
  const hologram::Kernel scale = exec.kernel("scale");
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> y(3);
  scale(x, 2.5F, y, 3U);
  Expect(y == std::vector<float>({2.5F, 5, 7.5F}), "results");
  scale(x, 0.05, y, 3U);  // an f64, rounded as C++ would
  Expect(y == std::vector<float>({0.05F, 2 * 0.05F, 3 * 0.05F}), "a rounded scalar");
  return scale.path();
}

void TestCircuit() {
  const Bundle native = Bundle::compile_circuit(kCircuit, "scale");
  const Bundle again = Bundle::compile_circuit(kCircuit, "scale");
  Expect(native.trust_hash().size() == 64 && native.trust_hash() == again.trust_hash(),
         "equal input gives equal bytes");
  const std::string path = RunScale(native, native.trust_hash());
  // A processor below v3 compiles it once more.
  Expect(path.find("native (") == 0, "the native code is used: " + path);
  const Bundle bare = Bundle::compile_circuit(kCircuit, "scale", "none");
  Expect(bare.data().size() < native.data().size(), "none has no native code");
  RunScale(bare, "");
  // The same programs in another form.
  const Bundle stripped = Bundle::compile(native.data(), "none");
  Expect(stripped.trust_hash() == bare.trust_hash(), "native code is left out");
  Expect(Bundle::compile(bare.data()).trust_hash() == native.trust_hash(), "and comes back");
  Expect(Bundle::compile(bare.data(), "v2").data().size() > bare.data().size(), "v2");
}

void TestJson(const std::string& json) {
  const Bundle bundle = Bundle::compile_json(json, "vector_add.json");
  hologram::Executor exec = hologram::Executor::make_private();
  exec.load(bundle.data(), bundle.trust_hash());
  const hologram::Kernel add = exec.kernel("vector_add");
  const std::vector<float> a = {1, 2};
  std::vector<float> c(2);
  add(a, a, c, 2U);
  Expect(c == std::vector<float>({2, 4}), "the kernel of the document");
  ExpectError([] { Bundle::compile_json("{\"version\": 1}", "k.json"); }, "k.json");
  ExpectError([] { Bundle::compile_json("", "k.json"); }, "k.json");
}

void TestFiles() {
  const Bundle bundle = Bundle::compile_circuit(kCircuit, "scale");
  const std::string path = std::filesystem::temp_directory_path() / "hologram_bundle_test.holo";
  bundle.save(path);
  const std::vector<std::byte> bytes = BytesOf(path);
  Expect(std::equal(bytes.begin(), bytes.end(), bundle.data().begin(), bundle.data().end()),
         "the file has the bytes");
  std::filesystem::remove(path);
  ExpectError([&] { bundle.save("/nonexistent/k.holo"); }, "no such file or directory");
}

void TestRefusals() {
  const std::byte nothing[3] = {};
  ExpectError([&] { Bundle::compile(nothing, "none"); }, "bundle");
  for (const char* levels : {"", "v5", "v3,", "v3,v3", "none,v3"}) {
    ExpectError([&] { Bundle::compile_circuit(kCircuit, "scale", levels); },
                "levels: expected none, v2, v3, v4 or aarch64, or several of these with commas, "
                "each once, found");
  }
  ExpectError([] { Bundle::compile_circuit("(f32", "broken"); }, "circuit:1:5: error: ");
}

void TestWithoutPlugin(const std::string& json) {
  ExpectError([] { Bundle::compile_circuit(kCircuit, "scale", "none"); },
              "circuits are compiled by the compiler plugin: ");
  ExpectError([&] { Bundle::compile_json(json, "k.json", "none"); },
              "kernel JSON is compiled by the compiler plugin: ");
}

}  // namespace

int main(int argc, char** argv) {
  const bool plugin = argc > 1 && std::string(argv[1]) == "plugin";
  const std::vector<std::byte> file = BytesOf(argc > 2 ? argv[2] : "");
  const std::string json(reinterpret_cast<const char*>(file.data()), file.size());
  Expect(!json.empty(), "usage: bundle_test plugin|none KERNELS.json");
  if (plugin) {
    TestCircuit();
    TestJson(json);
    TestFiles();
    TestRefusals();
  } else {
    TestWithoutPlugin(json);
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
