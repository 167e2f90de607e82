#include "kernel_object.h"

#include <structmember.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "hologram/detail/launch.h"
#include "hologram/stream.h"
#include "isa/type.h"
#include "kernel_call.h"
#include "kernel_fields.h"
#include "kernel_text.h"
#include "numpy_fields.h"
#include "objects.h"
#include "scalars.h"

namespace hologram::python {
namespace {

PyTypeObject* kernel_type = nullptr;

PyObject* FirstVectorcall(PyObject* callable, PyObject* const* given, size_t flags,
                          PyObject* names) {
  KernelObject* self = AsKernel(callable);
  if (!Resolve(self)) return nullptr;
  self->vectorcall = CallKernel;
  return CallKernel(callable, given, flags, names);
}

// How a kernel with a grid is called first.
vectorcallfunc CallWithGrid(PyObject* owner) {
  return owner != nullptr && OwnerOf(owner)->grids_left != 0 ? CallExamined : CallKernel;
}

PyObject* Allocate(const KernelObject& fields) {
  PyObject* object = PyType_GenericAlloc(kernel_type, 0);
  if (object == nullptr) return nullptr;
  KernelObject* self = AsKernel(object);
  self->vectorcall = fields.kernel == nullptr     ? FirstVectorcall
                     : fields.config.grid[0] == 0 ? CallKernel
                                                  : CallWithGrid(fields.owner);
  self->kernel = fields.kernel;
  self->plan = fields.plan;
  self->owner = fields.owner;
  self->bundle = fields.bundle;
  self->config = fields.config;
  self->has_config = fields.has_config;
  self->has_rank = fields.has_rank;
  self->takes_shapes = fields.takes_shapes;
  self->grids_left = detail::kExaminedGrids;
  self->make = fields.make;
  self->function = fields.function;
  Py_XINCREF(self->owner);
  Py_XINCREF(self->bundle);
  Py_XINCREF(self->make);
  Py_XINCREF(self->function);
  return object;
}

// Kernels made by a decorator stand in cycles: module, kernel, function, module.
int Traverse(PyObject* object, visitproc visit, void* arg) {
  const KernelObject* self = AsKernel(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->owner);
  Py_VISIT(self->bundle);
  Py_VISIT(self->make);
  Py_VISIT(self->function);
  return 0;
}

PyObject* Gone(PyObject* /*callable*/, PyObject* const* /*given*/, size_t /*flags*/,
               PyObject* /*names*/) {
  PyErr_SetString(PyExc_RuntimeError, "this kernel has been collected");
  return nullptr;
}

int Clear(PyObject* object) {
  KernelObject* self = AsKernel(object);
  // A handle of our own stays until we go: others that borrow it hold us.
  if (self->owner != nullptr) self->kernel = nullptr;
  self->vectorcall = Gone;
  Py_CLEAR(self->owner);
  Py_CLEAR(self->bundle);
  Py_CLEAR(self->make);
  Py_CLEAR(self->function);
  return 0;
}

void Deallocate(PyObject* object) {
  PyObject_GC_UnTrack(object);
  if (AsKernel(object)->weak_references != nullptr) PyObject_ClearWeakRefs(object);
  Clear(object);
  if (AsKernel(object)->kernel != nullptr) hologram_kernel_destroy(AsKernel(object)->kernel);
  FreeObject(object);
}

// Puts `what` before the message of the Python error that is set.
void NameOption(const char* what) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_Format(type, "%s %S", what, value);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

// An integer of an option. False: a Python error is set.
bool ReadOption(PyObject* value, const char* what, uint32_t type, uint64_t& bits) {
  if (ReadScalar(value, type, bits)) return true;
  NameOption(what);
  return false;
}

// 4, (4,), (4, 2) or (4, 2, 1) as three sizes. False: a Python error is set.
bool ReadSizes(PyObject* value, const char* what, uint32_t (&sizes)[3]) {
  sizes[0] = sizes[1] = sizes[2] = 1;
  const bool tuple = PyTuple_Check(value) != 0;
  const Py_ssize_t count = tuple ? PyTuple_Size(value) : 1;
  if (count < 1 || count > 3) {
    PyErr_Format(PyExc_TypeError, "%s: expected one to three sizes, found %zd", what, count);
    return false;
  }
  for (Py_ssize_t d = 0; d < count; ++d) {
    PyObject* item = tuple ? PyTuple_GetItem(value, d) : value;
    uint64_t bits = 0;
    if (!ReadOption(item, what, HOLOGRAM_U32, bits)) return false;
    if (bits == 0) {
      PyErr_Format(PyExc_ValueError, "%s: a size is 0", what);
      return false;
    }
    sizes[d] = static_cast<uint32_t>(bits);
  }
  return true;
}

// kernel[grid, block], or kernel[grid] with the kernel's own block.
PyObject* Subscript(PyObject* object, PyObject* key) {
  const bool both = PyTuple_Check(key) != 0;
  if (both && PyTuple_Size(key) != 2) {
    PyErr_SetString(PyExc_TypeError,
                    "expected kernel[grid] or kernel[grid, block]; a grid of three sizes without a "
                    "block is kernel.configure(grid=(x, y, z))");
    return nullptr;
  }
  if (!Resolve(AsKernel(object))) return nullptr;
  KernelObject fields = *AsKernel(object);
  fields.has_config = true;
  if (fields.owner == nullptr) fields.owner = object;
  if (!ReadSizes(both ? PyTuple_GetItem(key, 0) : key, "grid", fields.config.grid)) return nullptr;
  if (both && !ReadSizes(PyTuple_GetItem(key, 1), "block", fields.config.block)) return nullptr;
  return Allocate(fields);
}

bool FindBackend(const char* name, uint32_t& backend) {
  const uint32_t number = hologram_find_backend(name);
  if (number == UINT32_MAX) {
    PyErr_Format(PyExc_ValueError,
                 "backend: expected auto, interpreter, cpu, cuda, opencl or a registered engine, "
                 "found '%s'",
                 name);
    return false;
  }
  backend = number;
  return true;
}

PyObject* Configure(PyObject* object, PyObject* positional, PyObject* keywords) {
  if (!Resolve(AsKernel(object))) return nullptr;
  KernelObject fields = *AsKernel(object);
  fields.has_config = true;
  if (fields.owner == nullptr) fields.owner = object;
  PyObject* grid = Py_None;
  PyObject* block = Py_None;
  PyObject* budget = Py_None;
  PyObject* threads = Py_None;
  PyObject* class_base = Py_None;
  PyObject* deterministic = fields.config.nondeterministic == 0 ? Py_True : Py_False;
  const char* backend = hologram_backend_name(fields.config.backend);
  static const char* const kNames[] = {"grid",          "block",   "budget",     "backend",
                                       "deterministic", "threads", "class_base", nullptr};
  if (PyArg_ParseTupleAndKeywords(positional, keywords, "|$OOOsOOO", const_cast<char**>(kNames),
                                  &grid, &block, &budget, &backend, &deterministic, &threads,
                                  &class_base) == 0) {
    return nullptr;
  }
  if (grid != Py_None && !ReadSizes(grid, "grid", fields.config.grid)) return nullptr;
  if (block != Py_None && !ReadSizes(block, "block", fields.config.block)) return nullptr;
  uint64_t bits = 0;
  if (budget != Py_None) {
    if (!ReadOption(budget, "budget", HOLOGRAM_U64, bits)) return nullptr;
    fields.config.budget = bits;
  }
  if (threads != Py_None) {
    if (!ReadOption(threads, "threads", HOLOGRAM_U32, bits)) return nullptr;
    fields.config.threads = static_cast<uint32_t>(bits);
  }
  if (class_base != Py_None) {
    if (!ReadOption(class_base, "class_base", HOLOGRAM_U32, bits)) return nullptr;
    fields.config.class_base = static_cast<uint32_t>(bits);
  }
  // Any object has a truth value: deterministic="no" would be True.
  if (PyBool_Check(deterministic) == 0 && !IsNumpyBool(deterministic)) {
    PyErr_Format(PyExc_TypeError, "deterministic: expected True or False, found %R", deterministic);
    return nullptr;
  }
  fields.config.nondeterministic = PyObject_IsTrue(deterministic) != 0 ? 0 : 1;
  return FindBackend(backend, fields.config.backend) ? Allocate(fields) : nullptr;
}

PyObject* Name(PyObject* self, void* /*unused*/) {
  if (!Resolve(AsKernel(self))) return nullptr;
  return PyUnicode_FromString(hologram_kernel_name(AsKernel(self)->kernel));
}
PyObject* Id(PyObject* self, void* /*unused*/) {
  if (!Resolve(AsKernel(self))) return nullptr;
  return PyUnicode_FromString(hologram_kernel_id(AsKernel(self)->kernel));
}
PyObject* Arguments(PyObject* self, void* /*unused*/) {
  if (!Resolve(AsKernel(self))) return nullptr;
  return PyUnicode_FromString(hologram_kernel_arguments(AsKernel(self)->kernel));
}
// The number of its length, of a kernel that is computed element by element, else None.
PyObject* PointwiseLength(PyObject* self, void* /*unused*/) {
  if (!Resolve(AsKernel(self))) return nullptr;
  uint32_t length = 0;
  hologram_error* error = hologram_kernel_pointwise_length(AsKernel(self)->kernel, &length);
  if (error == nullptr) return PyLong_FromUnsignedLong(length);
  if (hologram_error_code(error) != HOLOGRAM_ERROR_UNSUPPORTED) {
    Succeeded(error);
    return nullptr;
  }
  hologram_error_destroy(error);
  Py_RETURN_NONE;
}
PyObject* Path(PyObject* self, void* /*unused*/) {
  if (!Resolve(AsKernel(self))) return nullptr;
  const KernelObject& fields = *AsKernel(self);
  if (fields.has_config && fields.config.backend == HOLOGRAM_BACKEND_INTERPRETER) {
    return PyUnicode_FromString("interpreter");
  }
  return PyUnicode_FromString(hologram_kernel_path(fields.kernel));
}
PyObject* Bundle(PyObject* self, void* /*unused*/) {
  if (!Resolve(AsKernel(self))) return nullptr;
  return Py_NewRef(AsKernel(self)->bundle);
}
PyObject* Wrapped(PyObject* self, void* /*unused*/) {
  if (AsKernel(self)->function != nullptr) return Py_NewRef(AsKernel(self)->function);
  PyErr_SetString(PyExc_AttributeError, "this kernel was loaded, there is no function");
  return nullptr;
}

PyObject* Counts(PyObject* self, void* /*unused*/) {
  if (!Resolve(AsKernel(self))) return nullptr;
  const hologram_launch_counts counts = hologram_kernel_counts(AsKernel(self)->kernel);
  return Py_BuildValue("{sKsKsK}", "native", counts.native, "interpreted", counts.interpreted,
                       "guarded", counts.guarded);
}

// By the class in compiling.py.
PyObject* MakeLastLaunch(const hologram_last_launch& last) {
  PyObject* module = PyImport_ImportModule("hologram.compiling");
  PyObject* made = module == nullptr
                       ? nullptr
                       : PyObject_CallMethod(module, "LastLaunch", "sskNs", last.engine,
                                             last.reason, static_cast<unsigned long>(last.threads),
                                             PyBool_FromLong(last.checked), last.condition);
  Py_XDECREF(module);
  return made;
}

// Of native code on one thread, with nothing to say: programs may ask after every launch.
bool IsUsual(const hologram_last_launch& last) {
  return std::string_view(last.engine) == "cpu" && *last.reason == '\0' &&
         *last.condition == '\0' && last.threads == 1 && last.checked == 0;
}

PyObject* LastLaunch(PyObject* self, void* /*unused*/) {
  static PyObject* usual = nullptr;  // owned for ever; it cannot be changed
  if (!Resolve(AsKernel(self))) return nullptr;
  hologram_last_launch last;
  if (!Succeeded(hologram_kernel_last_launch(AsKernel(self)->kernel, &last))) return nullptr;
  if (!IsUsual(last)) return MakeLastLaunch(last);
  if (usual == nullptr) usual = MakeLastLaunch(last);
  return Py_XNewRef(usual);
}

PyObject* Parameters(PyObject* object, void* /*unused*/) {
  static constexpr const char* kDirections[] = {"in", "out", "inout"};
  if (!Resolve(AsKernel(object))) return nullptr;
  const KernelObject* self = AsKernel(object);
  const auto count = static_cast<Py_ssize_t>(self->plan->num_parameters);
  PyObject* list = PyTuple_New(count);
  for (Py_ssize_t k = 0; list != nullptr && k < count; ++k) {
    const hologram_parameter* p = hologram_kernel_parameter(self->kernel, static_cast<size_t>(k));
    const std::string type(isa::NameOf(static_cast<isa::Type>(p->type)));
    PyObject* row = Py_BuildValue("(ssss)", p->name, p->is_buffer != 0 ? "array" : "scalar",
                                  type.c_str(), kDirections[p->direction]);
    if (row == nullptr) {
      Py_CLEAR(list);
      break;
    }
    PyTuple_SetItem(list, k, row);
  }
  return list;
}

// A kernel pickles as where it comes from (`origin_of` in pickles.py), its name and how it is
// launched.
PyObject* Reduce(PyObject* object, PyObject* /*unused*/) {
  if (!Resolve(AsKernel(object))) return nullptr;
  const KernelObject* self = AsKernel(object);
  PyObject* module = PyImport_ImportModule("hologram.pickles");
  if (module == nullptr) return nullptr;
  PyObject* restore = PyObject_GetAttrString(module, "restore");
  PyObject* origin = PyObject_CallMethod(module, "origin_of", "O", self->bundle);
  Py_DECREF(module);
  if (restore == nullptr || origin == nullptr) {
    Py_XDECREF(restore);
    Py_XDECREF(origin);
    return nullptr;
  }
  const hologram_launch_config& c = self->config;
  PyObject* launch =
      self->has_config
          ? Py_BuildValue("((III)(III)KIsII)", c.grid[0], c.grid[1], c.grid[2], c.block[0],
                          c.block[1], c.block[2], c.budget, c.nondeterministic,
                          hologram_backend_name(c.backend), c.threads, c.class_base)
          : Py_NewRef(Py_None);
  if (launch == nullptr) {
    Py_DECREF(restore);
    Py_DECREF(origin);
    return nullptr;
  }
  return Py_BuildValue("N(NsN)", restore, origin, hologram_kernel_name(self->kernel), launch);
}

// What Reduce wrote, back.
PyObject* SetLaunch(PyObject* object, PyObject* launch) {
  if (PyTuple_Check(launch) == 0) {
    PyErr_SetString(PyExc_TypeError, "no launch of a kernel");
    return nullptr;
  }
  if (!Resolve(AsKernel(object))) return nullptr;
  KernelObject fields = *AsKernel(object);
  fields.has_config = true;
  if (fields.owner == nullptr) fields.owner = object;
  hologram_launch_config& c = fields.config;
  unsigned long long budget = 0;
  const char* backend = nullptr;
  if (PyArg_ParseTuple(launch, "(III)(III)KIsII", &c.grid[0], &c.grid[1], &c.grid[2], &c.block[0],
                       &c.block[1], &c.block[2], &budget, &c.nondeterministic, &backend, &c.threads,
                       &c.class_base) == 0) {
    return nullptr;
  }
  c.budget = budget;
  return FindBackend(backend, c.backend) ? Allocate(fields) : nullptr;
}

PyObject* Wait(PyObject* self, PyObject* /*unused*/) {
  if (!Resolve(AsKernel(self))) return nullptr;
  Py_BEGIN_ALLOW_THREADS;
  hologram_kernel_wait(AsKernel(self)->kernel);
  Py_END_ALLOW_THREADS;
  Py_RETURN_NONE;
}

PyDoc_STRVAR(
    kKernelDoc,
    "A kernel that is ready to run.\n\n"
    "kernel(a, b, c, n) is the default launch, whole blocks over the largest output;\n"
    "kernel[grid, block](...) is an explicit one, each a size or up to three; kernel[grid](...)\n"
    "takes the kernel's block. Arrays are NumPy arrays or anything with the buffer protocol or\n"
    "DLPack in CPU memory, of exactly the element type, C-contiguous; those of a parameter with\n"
    "several dimensions, DeviceArray[f32, 2], may have gaps between their rows. Nothing is\n"
    "copied. Several threads may call it on disjoint arrays. Raises hologram.Error.");

PyMethodDef kMethods[] = {
    {"configure", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(Configure)),
     METH_VARARGS | METH_KEYWORDS,
     "configure(*, grid=None, block=None, budget=None, backend='auto', "
     "deterministic=True, threads=None, class_base=None)\n--\n\n"
     "The kernel with a launch of its own. budget: rounds per lane of loops that are not\n"
     "proved to end, 2**24 without it. deterministic=False allows what may differ from run to "
     "run.\n"
     "threads: at most this many; without it all cores that the process may use.\n"
     "class_base: 0 to 95, what CLS.GET adds to block.x, 0 without it."},
    {"wait", Wait, METH_NOARGS,
     "wait()\n--\n\n"
     "Waits until a kernel that is being compiled (compile(..., tiered=True)) is, or cannot be:\n"
     "`path` has the result."},
    {"explain", ForwardTo<kExplain>(), METH_VARARGS | METH_KEYWORDS,
     "explain(level=None)\n--\n\n"
     "How each access is proved or checked, and what native code makes of it."},
    {"asm", ForwardTo<kAsm>(), METH_VARARGS | METH_KEYWORDS,
     "asm(level=None)\n--\n\n"
     "The program of the kernel (docs/assembly.md); with a level, 'v4', that processor's "
     "assembly."},
    {"llvm", ForwardTo<kLlvm>(), METH_VARARGS | METH_KEYWORDS,
     "llvm(level=None)\n--\n\nWhat LLVM gets, for this processor or a level, 'v3'."},
    {"ptx", ForwardTo<kPtx>(), METH_VARARGS | METH_KEYWORDS,
     "ptx(arch='sm_80')\n--\n\nThe kernel for NVIDIA GPUs."},
    {"portable", ForwardTo<kPortable>(), METH_VARARGS | METH_KEYWORDS,
     "portable(native='all')\n--\n\n"
     "The same with native code for these levels, v2, v3 and v4 ('all': the last two), which it\n"
     "is then pickled with: other processes need neither compiler nor cache."},
    {"profile", ForwardTo<kProfile>(), METH_VARARGS | METH_KEYWORDS,
     "profile(*arguments)\n--\n\n"
     "Launches it once, counted by line in the interpreter, and then in native code on copies, "
     "for\n"
     "the share of each line and the roofline. About a second."},
    {"_repr_html_", ForwardTo<kHtml>(), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"_profile", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(ProfileKernel)),
     METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_emit", EmitKernel, METH_VARARGS, nullptr},
    {"_set_launch", SetLaunch, METH_O, nullptr},
    {"__reduce__", Reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef kProperties[] = {
    {"name", Name, nullptr, "Its name.", nullptr},
    {"__name__", Name, nullptr, nullptr, nullptr},
    {"id", Id, nullptr, "What it computes, whatever it is called: 64 hex digits.", nullptr},
    {"_arguments", Arguments, nullptr, nullptr, nullptr},
    {"_pointwise_length", PointwiseLength, nullptr, nullptr, nullptr},
    {"path", Path, nullptr,
     "The engine: 'native (bundle, v4)', 'native (jit, v4)', 'native (cache, v4)', "
     "'interpreter' or, of a tiered one, 'interpreter (compiling)'.",
     nullptr},
    {"__wrapped__", Wrapped, nullptr, "The Python function that it was made from.", nullptr},
    {"bundle", Bundle, nullptr, "What it came from: a bundle, or the registry of an executor.",
     nullptr},
    {"counts", Counts, nullptr,
     "Launches so far: native (without the shortest ones), interpreted, guarded.", nullptr},
    {"last_launch", LastLaunch, nullptr,
     "How its last launch was run: engine, reason, threads, checked, condition.", nullptr},
    {"parameters", Parameters, nullptr, "(name, 'array' or 'scalar', type, direction) of each.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef kMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(KernelObject, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(KernelObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot kSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(Clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
    {Py_tp_repr, reinterpret_cast<void*>(RepresentKernel)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_mp_subscript, reinterpret_cast<void*>(Subscript)},
    {Py_tp_methods, kMethods},
    {Py_tp_getset, kProperties},
    {Py_tp_members, kMembers},
    {Py_tp_doc, const_cast<char*>(kKernelDoc)},
    {0, nullptr},
};

PyType_Spec kSpec = {"hologram.Kernel", sizeof(KernelObject), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                         Py_TPFLAGS_DISALLOW_INSTANTIATION,
                     kSlots};

}  // namespace

// The traceback of a kernel that is refused ends in the user's line, not in the compiler.
static void ForgetOwnFrames() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject* errors = PyImport_ImportModule("hologram.errors");
  PyObject* refused = errors == nullptr ? nullptr : PyObject_GetAttrString(errors, "CompileError");
  Py_XDECREF(errors);
  if (refused == nullptr) PyErr_Clear();
  if (refused != nullptr && PyErr_GivenExceptionMatches(type, refused) != 0) Py_CLEAR(trace);
  Py_XDECREF(refused);
  PyErr_Restore(type, value, trace);
}

bool Resolve(KernelObject* self) {
  if (self->kernel != nullptr && self->bundle != nullptr) return true;
  if (self->make == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "this kernel has been collected");
    return false;
  }
  PyObject* made = PyObject_CallNoArgs(self->make);
  if (made == nullptr) {
    ForgetOwnFrames();
    return false;
  }
  if (self->kernel != nullptr) {  // another thread was faster
    Py_DECREF(made);
    return true;
  }
  if (Py_TYPE(made) != kernel_type || AsKernel(made)->kernel == nullptr) {
    PyErr_SetString(PyExc_TypeError, "expected a kernel");
    Py_DECREF(made);
    return false;
  }
  const KernelObject* other = AsKernel(made);
  self->owner = made;
  self->bundle = Py_NewRef(other->bundle);
  self->plan = other->plan;
  self->has_rank = other->has_rank;
  self->takes_shapes = other->takes_shapes;
  self->kernel = other->kernel;
  return true;
}

PyObject* MakeKernelType() {
  PyObject* type = PyType_FromSpec(&kSpec);
  kernel_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

bool IsKernel(PyObject* object) {
  return Py_TYPE(object) == kernel_type;
}

PyObject* NewKernel(hologram_kernel* kernel, PyObject* bundle) {
  KernelObject fields{};
  fields.kernel = kernel;
  fields.plan = hologram_kernel_plan(kernel);
  fields.bundle = bundle;
  fields.takes_shapes = hologram_kernel_takes_shapes(kernel) != 0;
  for (size_t k = 0; k < fields.plan->num_parameters; ++k) {
    fields.has_rank |= hologram_kernel_parameter(kernel, k)->rank > 1;
  }
  PyObject* object = Allocate(fields);
  if (object == nullptr) hologram_kernel_destroy(kernel);
  return object;
}

PyObject* NewLazyKernel(PyObject* make, PyObject* function) {
  KernelObject fields{};
  fields.make = make;
  fields.function = function;
  return Allocate(fields);
}

}  // namespace hologram::python
