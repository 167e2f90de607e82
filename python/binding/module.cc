// hologram._native: bundles and kernels for Python, and the part of the compiler that needs no
// LLVM.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "arrow_call.h"
#include "base/quote.h"
#include "buffer_object.h"
#include "bundle/bundle.h"
#include "capture.h"
#include "command_call.h"
#include "cycle_call.h"
#include "device_array.h"
#include "dispatch_object.h"
#include "dlpack.h"
#include "driver/compile.h"
#include "frontend/circuit/lower.h"
#include "fused_object.h"
#include "hologram/detail/reduction.hpp"
#include "hologram/hologram.h"
#include "isa/atlas.h"
#include "isa/type.h"
#include "kernel_object.h"
#include "launch_call.h"
#include "observe_call.h"
#include "op_object.h"
#include "pipeline_object.h"
#include "product_call.h"
#include "qsim_call.h"
#include "release_gil.h"
#include "sigmatics/circuit.h"
#include "span_object.h"
#include "stream_call.h"
#include "text/text.h"
#include "threads_call.h"
#include "trace.h"
#include "ufunc_object.h"
#include "window_call.h"

namespace nb = nanobind;

namespace hologram::python {
void Throw(const Diagnostics& errors) {
  std::string text;
  for (const Diagnostic& error : errors) text += (text.empty() ? "" : "\n") + ToString(error);
  const Diagnostic& first = errors.front();
  // The numbers of hologram.h start at 1.
  nb::object made = nb::module_::import_("hologram.errors")
                        .attr("make")(static_cast<int>(first.code) + 1, first.message, text,
                                      first.where.file, first.where.line, first.where.column);
  PyErr_SetObject(made.type().ptr(), made.ptr());
  throw nb::python_error();
}

namespace {

void Check(hologram_error* error) {
  if (error == nullptr) return;
  SetError(error);
  throw nb::python_error();
}

template <class T>
T OrThrow(Result<T> result) {
  if (!result.ok()) Throw(result.errors());
  return std::move(result).value();
}

// Lets other threads of Python run meanwhile.
template <class F>
auto Released(const F& work) {
  const ReleaseGil release;
  return work();
}

nb::bytes Bytes(const std::vector<uint8_t>& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

// Kernel JSON -> a bundle without native code. Everything is verified.
nb::bytes CompileJson(const std::string& json, const std::string& file, const std::string& entry,
                      const std::vector<std::tuple<std::string, std::string>>& constants) {
  driver::Constants values;
  for (const auto& [name, value] : constants) values.push_back({name, {value}});
  Diagnostics warnings;
  const std::vector<uint8_t> made = OrThrow(Released([&]() -> Result<std::vector<uint8_t>> {
    HOLOGRAM_ASSIGN_OR_RETURN(driver::Kernels kernels, driver::FromJson(json, file, entry, values));
    warnings = std::move(kernels.warnings);
    HOLOGRAM_RETURN_IF_ERROR(driver::CheckUsed(values));
    return driver::VerifiedBundle(std::move(kernels));
  }));
  for (const Diagnostic& warning : warnings) {
    nb::module_::import_("hologram.errors")
        .attr("warn_of_source")(warning.message, warning.where.file, warning.where.line);
  }
  return Bytes(made);
}

// A circuit with a header -> its canonical text (docs/sigmatics.md), and which of its outputs are
// numbers: one for each row.
std::pair<std::string, std::vector<size_t>> CanonicalCircuit(const std::string& text) {
  using Form = std::pair<std::string, std::vector<size_t>>;
  return OrThrow(Released([&]() -> Result<Form> {
    HOLOGRAM_ASSIGN_OR_RETURN(const frontend::CompiledKernel kernel,
                              frontend::CompileCircuitFile(text, "", "circuit"));
    const sigmatics::Canonical& form = kernel.circuit.form;
    HOLOGRAM_ASSIGN_OR_RETURN(std::vector<size_t> numbers, frontend::NumbersAmongOutputs(form));
    return Form(sigmatics::Print(form.circuit), std::move(numbers));
  }));
}

// A circuit with a header -> a bundle of one kernel without native code.
nb::bytes CompileCircuit(const std::string& text, const std::string& name) {
  return Bytes(OrThrow(Released([&]() -> Result<std::vector<uint8_t>> {
    driver::Kernels kernels;
    HOLOGRAM_ASSIGN_OR_RETURN(kernels.programs.emplace_back(),
                              frontend::CompileCircuit(text, "", name));
    return driver::VerifiedBundle(std::move(kernels));
  })));
}

// Programs in assembly -> a bundle without native code; of one kernel, if `entry` is not empty.
nb::bytes Assemble(const std::string& text, const std::string& file, const std::string& entry) {
  return Bytes(OrThrow(Released([&]() -> Result<std::vector<uint8_t>> {
    driver::Kernels kernels;
    HOLOGRAM_ASSIGN_OR_RETURN(kernels.programs, text::Assemble(text, file));
    if (!entry.empty()) {
      std::erase_if(kernels.programs, [&](const auto& program) { return program.name != entry; });
    }
    if (!entry.empty() && kernels.programs.empty()) {
      return Error(ErrorCode::kNotFound, file + " has no kernel " + Shown(entry));
    }
    return driver::VerifiedBundle(std::move(kernels));
  })));
}

nb::object ElementType(nb::handle array) {
  ArrayView view;
  Holds holds;
  hologram_array_shape shape{};  // elements may lie apart: only their type is asked for
  const auto name_of = [](uint32_t code) {
    return std::string(isa::NameOf(static_cast<isa::Type>(code & 0xf)));
  };
  if (IsDeviceArray(array.ptr())) {
    ReadDeviceArray(array.ptr(), view, nullptr);
    return nb::cast(name_of(view.code));
  }
  switch (ReadArray(array.ptr(), view, &shape, holds)) {
    case ReadResult::kRead:
      return nb::cast(name_of(view.code));
    case ReadResult::kNoArray:
      return nb::none();
    case ReadResult::kFailed:
      break;
  }
  throw nb::python_error();
}

struct DestroyExecutor {
  void operator()(hologram_executor* executor) const { hologram_executor_destroy(executor); }
};
using ExecutorHandle = std::unique_ptr<hologram_executor, DestroyExecutor>;

hologram_kernel* FindIn(hologram_executor* executor, const std::string& name) {
  hologram_kernel* kernel = nullptr;
  hologram_error* error = nullptr;
  {
    const ReleaseGil release;  // it may compile
    error = hologram_executor_kernel(executor, name.c_str(), &kernel);
  }
  Check(error);
  if (const char* note = hologram_kernel_note(kernel); *note != '\0') {
    const bool interpreted =
        std::string_view(hologram_kernel_path(kernel)).starts_with("interpreter");
    PyObject* errors = PyImport_ImportModule("hologram.errors");
    PyObject* warned = errors == nullptr
                           ? nullptr
                           : PyObject_CallMethod(errors, "warn", "si", note, interpreted ? 1 : 0);
    Py_XDECREF(errors);
    Py_XDECREF(warned);
    if (warned == nullptr) {
      hologram_kernel_destroy(kernel);
      throw nb::python_error();
    }
  }
  return kernel;
}

// To sys.stdout, where `print` of a kernel that runs as Python writes. Called without the lock of
// the interpreter. What it raises stays set for the caller, which asks Succeeded(); what comes
// after it is not written.
void WritePrinted(void* /*context*/, const hologram_print_record* record) {
  const nb::gil_scoped_acquire acquire;
  PyObject* const file = PySys_GetObject("stdout");  // borrowed
  if (file == nullptr || file == Py_None) return;
  if (PyErr_Occurred() != nullptr) return;
  PyFile_WriteString(record->text, file);
}

// The kernels of a bundle file.
class Bundle {
 public:
  Bundle(nb::bytes data, std::optional<std::string> expect, bool tiered = false)
      : data_(std::move(data)), expect_(std::move(expect)) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(data_.c_str());
    const bundle::BundleReader reader = OrThrow(bundle::BundleReader::Open({bytes, data_.size()}));
    for (size_t i = 0; i < reader.size(); ++i) names_.push_back(reader.NameOf(i));
    trust_hash_ = ToHex(reader.trust_hash());
    hologram_executor* executor = nullptr;
    Check(hologram_executor_create_private(&executor));
    executor_.reset(executor);
    hologram_executor_set_print(executor, WritePrinted, nullptr);
    hologram_executor_set_tiered(executor, tiered ? 1 : 0);
    Check(hologram_executor_load_memory(executor, data_.c_str(), data_.size(),
                                        expect_ ? expect_->c_str() : nullptr));
  }

  const std::vector<std::string>& names() const { return names_; }
  const std::string& trust_hash() const { return trust_hash_; }
  const nb::bytes& data() const { return data_; }
  const std::optional<std::string>& expect() const { return expect_; }

  hologram_kernel* Find(const std::string& name) const { return FindIn(executor_.get(), name); }
  hologram_executor* executor() const { return executor_.get(); }

 private:
  nb::bytes data_;
  std::optional<std::string> expect_;
  std::vector<std::string> names_;
  std::string trust_hash_;
  ExecutorHandle executor_;
};

// The same programs with native code for these levels alone. It vouches for itself.
Bundle WithNative(const Bundle& bundle, const std::optional<std::vector<std::string>>& levels) {
  std::string list = "none";
  if (levels && !levels->empty()) {
    list = levels->front();
    for (size_t k = 1; k < levels->size(); ++k) list += "," + (*levels)[k];
  }
  hologram_bundle* made = nullptr;
  hologram_error* error = nullptr;
  {
    const ReleaseGil release;
    error = hologram_bundle_compile(bundle.data().c_str(), bundle.data().size(),
                                    levels ? list.c_str() : nullptr, &made);
  }
  Check(error);
  const std::unique_ptr<hologram_bundle, void (*)(hologram_bundle*)> holder(
      made, hologram_bundle_destroy);
  return Bundle(nb::bytes(hologram_bundle_data(made), hologram_bundle_size(made)),
                hologram_bundle_trust_hash(made));
}

// Kernels of folders of the user, of the program and of the standard library, by name.
class Registry {
 public:
  explicit Registry(bool only_added) {
    hologram_executor* executor = nullptr;
    Check(only_added ? hologram_executor_create_private(&executor)
                     : hologram_executor_create(&executor));
    executor_.reset(executor);
    hologram_executor_set_print(executor, WritePrinted, nullptr);
  }

  hologram_kernel* Find(const std::string& name) const { return FindIn(executor_.get(), name); }
  void AddDirectory(const std::string& path, bool native) {
    Check(native ? hologram_executor_add_native_directory(executor_.get(), path.c_str())
                 : hologram_executor_add_directory(executor_.get(), path.c_str()));
  }
  void Load(const std::string& path, const std::optional<std::string>& expect) {
    Check(hologram_executor_load_file(executor_.get(), path.c_str(),
                                      expect ? expect->c_str() : nullptr));
  }
  void LoadStandard(const std::string& expect) {
    Check(hologram_executor_load_standard(executor_.get(), expect.c_str()));
  }
  void Trust(const std::string& hash) {
    Check(hologram_executor_trust(executor_.get(), hash.c_str()));
  }

  using Row =
      std::tuple<std::string, std::string, std::string, std::string, std::optional<std::string>>;
  std::tuple<std::vector<Row>, std::vector<std::string>> List() const {
    hologram_listing* found = nullptr;
    hologram_error* error = nullptr;
    {
      const ReleaseGil release;
      error = hologram_executor_list(executor_.get(), &found);
    }
    Check(error);
    const std::unique_ptr<hologram_listing, void (*)(hologram_listing*)> listing(
        found, hologram_listing_destroy);
    constexpr const char* kOrigins[] = {"built-in", "bundled", "user"};
    std::vector<Row> rows;
    for (size_t k = 0; k < hologram_listing_num_kernels(found); ++k) {
      const hologram_listed_kernel& kernel = *hologram_listing_kernel(found, k);
      std::optional<std::string> shadowed_by;
      if (kernel.shadowed_by != nullptr) shadowed_by = kernel.shadowed_by;
      rows.emplace_back(kernel.name, kernel.id, kOrigins[kernel.origin], kernel.file, shadowed_by);
    }
    std::vector<std::string> errors;
    for (size_t k = 0; k < hologram_listing_num_errors(found); ++k) {
      errors.emplace_back(hologram_listing_error(found, k));
    }
    return {std::move(rows), std::move(errors)};
  }

  hologram_executor* executor() const { return executor_.get(); }

 private:
  ExecutorHandle executor_;
};

// ---- What launches of the kernels of a bundle leave to each other

// Of a Fraction or an int.
hologram_ratio RatioOf(nb::handle value) {
  const auto refused = [&] {
    Throw({Error(ErrorCode::kInvalidArgument,
                 "a resonance is a Fraction or an int, both parts within 64 bits, found " +
                     nb::cast<std::string>(nb::repr(value)))});
  };
  hologram_ratio ratio{};
  if (!nb::hasattr(value, "numerator") || !nb::hasattr(value, "denominator") ||
      !nb::try_cast(value.attr("numerator"), ratio.numerator) ||
      !nb::try_cast(value.attr("denominator"), ratio.denominator)) {
    refused();
  }
  return ratio;
}

template <class Owner>
nb::object Resonance(const Owner& bundle, uint32_t class_index) {
  hologram_ratio ratio{};
  Check(hologram_executor_resonance(bundle.executor(), class_index, &ratio));
  return nb::module_::import_("fractions").attr("Fraction")(ratio.numerator, ratio.denominator);
}

template <class Owner>
nb::bytes ReadClassMemory(const Owner& bundle, uint64_t offset, size_t size) {
  // A size beyond a class is refused before anything is written.
  std::vector<char> bytes(std::min<size_t>(size, isa::kBytesPerClass));
  Check(hologram_executor_read_class_memory(bundle.executor(), offset, bytes.data(), size));
  return nb::bytes(bytes.data(), size);
}

template <class Owner>
void WriteClassMemory(const Owner& bundle, uint64_t offset, const nb::bytes& bytes) {
  Check(
      hologram_executor_write_class_memory(bundle.executor(), offset, bytes.c_str(), bytes.size()));
}

// ---- Buffers

uint32_t CodeOf(const std::string& type) {
  for (uint32_t code = 0; code < isa::kNumTypes; ++code) {
    if (isa::NameOf(static_cast<isa::Type>(code)) == type) return code;
  }
  Throw({Error(ErrorCode::kInvalidArgument, "dtype: no kernel has elements of " + type +
                                                "; there are i8 to i64, u8 to u64, "
                                                "f16, bf16, f32 and f64")});
}

nb::object Made(PyObject* buffer) {
  if (buffer == nullptr) throw nb::python_error();
  return nb::steal(buffer);
}

nb::object AllocateBuffer(size_t size, const std::string& dtype) {
  return Made(NewBuffer(CodeOf(dtype), size));
}

template <class Owner>
nb::object AllocateBoundary(const Owner& owner, std::optional<uint32_t> class_index, uint32_t width,
                            uint32_t height, const std::string& dtype) {
  const uint32_t code = CodeOf(dtype);
  if (class_index == HOLOGRAM_ANY_CLASS) {
    Throw({Error(ErrorCode::kInvalidArgument, "class_index: expected 0 to 95, found 4294967295")});
  }
  hologram_boundary* boundary = nullptr;
  hologram_error* error = nullptr;
  {
    const ReleaseGil release;  // it may wait for a launch
    error = hologram_executor_allocate_boundary(
        owner.executor(), class_index.value_or(HOLOGRAM_ANY_CLASS), width, height, &boundary);
  }
  Check(error);
  return Made(NewBoundaryBuffer(code, boundary));
}

std::tuple<uint32_t, uint32_t> OffsetToPhi(uint32_t class_index, uint64_t offset) {
  uint32_t page = 0;
  uint32_t byte = 0;
  Check(hologram_class_offset_to_phi(class_index, offset, &page, &byte));
  return {page, byte};
}

uint32_t PhiToOffset(uint32_t class_index, uint32_t page, uint32_t byte) {
  uint32_t offset = 0;
  Check(hologram_class_phi_to_offset(class_index, page, byte, &offset));
  return offset;
}

using Extents = std::tuple<uint32_t, uint32_t, uint32_t>;
std::tuple<Extents, Extents> DefaultLaunchConfig(uint64_t elements) {
  hologram_launch_config config;
  Check(hologram_default_launch_config(elements, &config));
  const auto extents = [](const uint32_t(&of)[3]) { return Extents(of[0], of[1], of[2]); };
  return {extents(config.grid), extents(config.block)};
}

uint32_t SizeOfType(const std::string& dtype) {
  return isa::SizeOf(static_cast<isa::Type>(CodeOf(dtype)));
}

template <class Owner>
void DefineState(nb::class_<Owner>& type) {
  type.def("allocate_boundary", AllocateBoundary<Owner>, nb::arg("class_index") = nb::none(),
           nb::arg("width") = isa::kPagesPerClass, nb::arg("height") = isa::kBytesPerPage,
           nb::arg("dtype") = "f32",
           nb::sig("def allocate_boundary(self, class_index: int | None = None, width: int = 48, "
                   "height: int = 256, dtype: str = 'f32') -> Buffer"),
           "The first width * height bytes of a class, or of the lowest one that is free.")
      .def_prop_ro(
          "num_free_classes",
          [](const Owner& owner) { return hologram_executor_num_free_classes(owner.executor()); },
          "How many of the 96 classes have no buffer.")
      .def_prop_ro(
          "phase", [](const Owner& bundle) { return hologram_executor_phase(bundle.executor()); },
          "0 to 767.")
      .def(
          "advance_phase",
          [](const Owner& bundle, uint64_t delta) {
            hologram_executor_advance_phase(bundle.executor(), delta);
          },
          nb::arg("delta"))
      .def("resonance", Resonance<Owner>, nb::arg("class_index"),
           nb::sig("def resonance(self, class_index: int) -> Fraction"), "Of class 0 to 95.")
      .def(
          "set_resonance",
          [](const Owner& bundle, uint32_t class_index, nb::handle value) {
            Check(hologram_executor_set_resonance(bundle.executor(), class_index, RatioOf(value)));
          },
          nb::arg("class_index"), nb::arg("value"), "`value` is a Fraction or an int.")
      .def(
          "add_resonance",
          [](const Owner& bundle, uint32_t class_index, nb::handle value) {
            Check(hologram_executor_add_resonance(bundle.executor(), class_index, RatioOf(value)));
          },
          nb::arg("class_index"), nb::arg("value"))
      .def("reset_resonance",
           [](const Owner& bundle) { hologram_executor_reset_resonance(bundle.executor()); })
      .def("read_class_memory", ReadClassMemory<Owner>, nb::arg("offset"), nb::arg("size"),
           "Bytes of one class; class c begins at 12,288 c.")
      .def("write_class_memory", WriteClassMemory<Owner>, nb::arg("offset"), nb::arg("data"));
}

uint32_t MirrorOf(uint32_t class_index) {
  uint32_t mirror = 0;
  Check(hologram_class_mirror(class_index, &mirror));
  return mirror;
}

std::vector<uint32_t> NeighboursOf(uint32_t class_index) {
  std::vector<uint32_t> neighbours(6);
  uint32_t count = 0;
  Check(hologram_class_neighbours(class_index, neighbours.data(), &count));
  neighbours.resize(count);
  return neighbours;
}

template <class Owner>
nb::object FindKernel(nb::handle_t<Owner> owner, const std::string& name) {
  hologram_kernel* kernel = nb::cast<const Owner&>(owner).Find(name);
  PyObject* object = NewKernel(kernel, owner.ptr());
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

nb::object LazyKernel(nb::callable make, nb::callable function) {
  PyObject* object = NewLazyKernel(make.ptr(), function.ptr());
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

}  // namespace
}  // namespace hologram::python

// The function that NB_MODULE defines is called by the one below.
#define PyInit__native hologram_init_native

NB_MODULE(_native, m) {
  using hologram::python::Bundle;
  using hologram::python::Registry;
  m.doc() = "Bundles and kernels; use them through `hologram`.";
  // Operators of PyTorch and daemon threads keep kernels beyond the end of the interpreter.
  nb::set_leak_warnings(false);
  hologram::python::AddCycle(m);
  hologram::python::AddQsim(m);
  m.def("version", hologram_version, "The version of libhologram.");
  m.def("compile_json", hologram::python::CompileJson, nb::arg("json"), nb::arg("file"),
        nb::arg("entry") = "",
        nb::arg("constants") = std::vector<std::tuple<std::string, std::string>>(),
        "Kernel JSON (docs/kernel-json.md) -> the bytes of a bundle without native code.\n"
        "`constants`: values of compile-time parameters and types of type variables, as text.");
  m.def("canonical_circuit", hologram::python::CanonicalCircuit, nb::arg("text"),
        "The canonical text of a circuit with a header (docs/sigmatics.md), and which of its "
        "outputs\n"
        "hold one element for each row.");
  m.def("compile_circuit", hologram::python::CompileCircuit, nb::arg("text"), nb::arg("name"),
        "A circuit with a header -> the bytes of a bundle of one kernel without native code.");
  m.def("assemble", hologram::python::Assemble, nb::arg("text"), nb::arg("file"),
        nb::arg("entry") = "",
        "Programs in assembly (docs/assembly.md) -> the bytes of a bundle without native code.");
  m.def("element_type", hologram::python::ElementType, nb::arg("array"),
        nb::sig("def element_type(array: object) -> str | None"),
        "The type of an array's elements (f32, ...), or None if it is not an array.");
  m.def("mirror", hologram::python::MirrorOf, nb::arg("class_index"),
        "The mirror of a class of the Atlas, 0 to 95.");
  m.def("neighbours", hologram::python::NeighboursOf, nb::arg("class_index"),
        "The 5 or 6 neighbours of a class of the Atlas, ascending.");
  // Elements that a reduction of a row, and of a column, makes one of; these again.
  m.attr("ROW_CHUNK") = nb::int_(hologram::detail::row_chunk);
  m.attr("COLUMN_CHUNK") = nb::int_(hologram::detail::column_chunk);
  m.attr("MAX_THREADS") = nb::int_(HOLOGRAM_MAX_THREADS);
  m.attr("NUM_CLASSES") = nb::int_(int{HOLOGRAM_NUM_CLASSES});
  m.attr("PAGES_PER_CLASS") = nb::int_(int{HOLOGRAM_PAGES_PER_CLASS});
  m.attr("BYTES_PER_PAGE") = nb::int_(int{HOLOGRAM_BYTES_PER_PAGE});
  m.attr("BYTES_PER_CLASS") = nb::int_(int{HOLOGRAM_BYTES_PER_CLASS});
  m.def("offset_to_phi", hologram::python::OffsetToPhi, nb::arg("class_index"), nb::arg("offset"),
        "The page (0 to 47) and the byte (0 to 255) at an offset, 0 to 12,287, of a class.");
  m.def("phi_to_offset", hologram::python::PhiToOffset, nb::arg("class_index"), nb::arg("page"),
        nb::arg("byte"), "The offset in its class of a byte of a page.");
  m.def("default_launch_config", hologram::python::DefaultLaunchConfig, nb::arg("elements"),
        "Grid and block: blocks of 256 lanes that cover this number of elements in one dimension:\n"
        "kernel[default_launch_config(n)](...).");
#ifdef HOLOGRAM_WITH_COMMAND
  m.def("run_command_line", hologram::python::RunCommandLine, nb::arg("arguments"), nb::arg("own"),
        "The command `hologram`; gives its exit code. For a process that does nothing else.");
#endif
  m.def("allocate", hologram::python::AllocateBuffer, nb::arg("size"), nb::arg("dtype"),
        nb::sig("def allocate(size: int, dtype: str) -> Buffer"),
        "A buffer of zeros in memory of its own.");
  m.def("size_of", hologram::python::SizeOfType, nb::arg("dtype"), "Bytes of an element.");
  nb::class_<Bundle> bundle_type(
      m, "Bundle", nb::is_weak_referenceable(),
      "The kernels of a .holo file. `expect` is the trust hash that the caller vouches "
      "for; only with it the native code in the file is used. With `tiered` its kernels run in the "
      "interpreter until they are compiled, if they have to be.");
  bundle_type
      .def(nb::init<nb::bytes, std::optional<std::string>, bool>(), nb::arg("data"),
           nb::arg("expect") = nb::none(), nb::arg("tiered") = false)
      .def_prop_ro("names", &Bundle::names, "The names of its kernels.")
      .def_prop_ro("trust_hash", &Bundle::trust_hash, "The hash of all its bytes, 64 hex digits.")
      .def_prop_ro("data", &Bundle::data, "The file.")
      .def_prop_ro("expect", &Bundle::expect)
      .def("with_native", hologram::python::WithNative, nb::arg("levels").none(),
           "The same programs with native code for these levels, such as v3 and v4, and no other; "
           "None: for the usual ones.")
      .def("__getstate__",
           [](const Bundle& bundle) { return std::make_tuple(bundle.data(), bundle.expect()); })
      .def("__setstate__",
           [](Bundle& bundle, const std::tuple<nb::bytes, std::optional<std::string>>& state) {
             new (&bundle) Bundle(std::get<0>(state), std::get<1>(state));
           })
      .def("kernel", hologram::python::FindKernel<Bundle>, nb::arg("name"),
           nb::sig("def kernel(self, name: str) -> Kernel"),
           "Gets a kernel ready to run. Raises hologram.NotFoundError.");
  hologram::python::DefineState(bundle_type);
  nb::class_<Registry> registry_type(m, "Registry",
                                     "Kernels by name; use it through hologram.registry and "
                                     "hologram.Executor.");
  registry_type.def(nb::init<bool>(), nb::arg("only_added") = false)
      .def("kernel", hologram::python::FindKernel<Registry>, nb::arg("name"),
           nb::sig("def kernel(self, name: str) -> Kernel"))
      .def("add_directory", &Registry::AddDirectory, nb::arg("path"), nb::arg("native") = false)
      .def("load", &Registry::Load, nb::arg("path"), nb::arg("expect") = nb::none())
      .def("load_standard", &Registry::LoadStandard, nb::arg("expect"))
      .def("trust", &Registry::Trust, nb::arg("trust_hash"))
      .def("list", &Registry::List)
      .def("cancel", [](const Registry& registry) { hologram_cancel(registry.executor()); })
      .def("resume", [](const Registry& registry) { hologram_resume(registry.executor()); });
  hologram::python::DefineState(registry_type);
  m.def("lazy_kernel", hologram::python::LazyKernel, nb::arg("make"), nb::arg("function"),
        nb::sig("def lazy_kernel(make: Callable[[], Kernel], function: Callable[..., object]) -> "
                "Kernel"),
        "A kernel that make() gives when it is first used.");
  PyObject* buffer_type = hologram::python::MakeBufferType();
  if (buffer_type == nullptr) throw nb::python_error();
  m.attr("Buffer") = nb::steal(buffer_type);
  PyObject* device_array_type = hologram::python::MakeDeviceArrayType();
  if (device_array_type == nullptr) throw nb::python_error();
  m.attr("DeviceArray") = nb::steal(device_array_type);
  PyObject* pool_type = hologram::python::MakePoolType();
  if (pool_type == nullptr) throw nb::python_error();
  m.attr("PoolMemory") = nb::steal(pool_type);
  PyObject* kernel_type = hologram::python::MakeKernelType();
  if (kernel_type == nullptr) throw nb::python_error();
  m.attr("Kernel") = nb::steal(kernel_type);
  PyObject* dispatch_type = hologram::python::MakeDispatchType();
  if (dispatch_type == nullptr) throw nb::python_error();
  m.attr("Dispatch") = nb::steal(dispatch_type);
  PyObject* op_type = hologram::python::MakeOpType();
  if (op_type == nullptr) throw nb::python_error();
  m.attr("Op") = nb::steal(op_type);
  PyObject* op_kinds = hologram::python::MakeOpKinds();
  if (op_kinds == nullptr) throw nb::python_error();
  m.attr("OP_KINDS") = nb::steal(op_kinds);
  PyObject* fused_type = hologram::python::MakeFusedType();
  if (fused_type == nullptr) throw nb::python_error();
  m.attr("Fused") = nb::steal(fused_type);
  PyObject* pipeline_type = hologram::python::MakePipelineType();
  if (pipeline_type == nullptr) throw nb::python_error();
  m.attr("NativePipeline") = nb::steal(pipeline_type);
  PyObject* span_type = hologram::python::MakeSpanType();
  if (span_type == nullptr) throw nb::python_error();
  m.attr("Span") = nb::steal(span_type);
  static PyMethodDef functions[] = {
      {"read_metrics", hologram::python::ReadMetrics, METH_NOARGS, "Counts, with their labels."},
      {"doctor", hologram::python::Doctor, METH_O, "The report of the machine."},
      {"devices", hologram::python::ReadDevices, METH_NOARGS, "What engines of devices found."},
      {"read_cuda_capsule", hologram::python::ReadCudaCapsule, METH_O,
       "The fields of a DLPack tensor; only hologram.ops.resident asks."},
      {"trace_start", hologram::python::StartTrace, METH_O,
       "Starts a trace, for a path or a call."},
      {"trace_flush", hologram::python::FlushTrace, METH_NOARGS, "Hands out spans."},
      {"trace_stop", hologram::python::StopTrace, METH_NOARGS, "Ends it: spans, dropped ones."},
      {"new_op", hologram::python::NewOp, METH_VARARGS,
       "An operation of hologram.ops; only that module makes them."},
      {"new_op_of_kind", hologram::python::NewOpOfKind, METH_VARARGS,
       "An operation of a kind of OP_KINDS; only hologram.ops makes them."},
      {"arrow_call",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(hologram::python::CallArrow)),
       METH_FASTCALL, "A kernel on columns; only hologram.arrow calls it."},
      {"launch",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(hologram::python::LaunchKernel)),
       METH_FASTCALL, "A launch of hologram.ops; only that module calls it."},
      {"multiply",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(hologram::python::MultiplyMatrices)),
       METH_FASTCALL, "A product of hologram.ops; only that module calls it."},
      {"new_fused", hologram::python::NewFused, METH_VARARGS,
       "A function of arrays as one kernel; only hologram.fusion makes them."},
      {"capture_begin", hologram::python::BeginCapture, METH_VARARGS,
       "Begins to record launches; only hologram.pipelines does."},
      {"capture_array", hologram::python::AddCaptureArray, METH_VARARGS,
       "An input or an output of a capture."},
      {"capture_keep", hologram::python::KeepCaptureArray, METH_VARARGS,
       "An array that stays until a capture ends."},
      {"capture_end", hologram::python::EndCapture, METH_VARARGS, "What a capture has recorded."},
      {"stream_run",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(hologram::python::StreamRun)),
       METH_FASTCALL, "Streams arrays through a kernel; only hologram.streams does."},
      {"stream_apply",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(hologram::python::StreamApply)),
       METH_FASTCALL, "Streams arrays through a function."},
      {"window_units",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(hologram::python::WindowUnits)),
       METH_FASTCALL, "The units of a launch; only hologram.parts asks."},
      {"window_reach",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(hologram::python::WindowReach)),
       METH_FASTCALL, "The elements that some units touch."},
      {"window_launch",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(hologram::python::WindowLaunch)),
       METH_FASTCALL, "Launches some units."},
      {"pipeline_load", hologram::python::LoadPipeline, METH_VARARGS, "The pipeline of a file."},
      {"set_threads", hologram::python::SetThreads, METH_O, "Threads of launches; 0: default."},
      {"set_thread_limit", hologram::python::SetThreadLimit, METH_O,
       "The most of the calling thread; 0: none."},
      {"get_threads", hologram::python::GetThreads, METH_NOARGS, "Threads of a launch now."},
      {"new_ufunc", hologram::python::NewUfunc, METH_VARARGS,
       "Kernels as a numpy.ufunc; only hologram.ufuncs makes them."},
      {"trace_ops", hologram::python::TraceOps, METH_VARARGS,
       "Operations on values that represent arrays; only hologram.fusion sets them."},
      {nullptr, nullptr, 0, nullptr},
  };
  if (PyModule_AddFunctions(m.ptr(), functions) != 0) throw nb::python_error();
}

#undef PyInit__native

// In wheels this module has a copy of libgcc, which learns the sizes of registers when it first
// raises an exception, and aborts in a catch before that. What ends a thread (release_gil.h) is
// raised by the copy of the process.
[[gnu::noinline]] static void PrepareUnwinding() {
  try {
    throw 0;
  } catch (int) {  // NOLINT(bugprone-empty-catch): raising it was all
  }
}

// The types of this module and of nanobind belong to the interpreter that made them, and are known
// to all of the process. A second interpreter is refused before anything of it is entered there.
extern "C" NB_EXPORT PyObject* PyInit__native() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError, "hologram works in the main interpreter of a process only");
    return nullptr;
  }
  PrepareUnwinding();
  return hologram_init_native();
}
