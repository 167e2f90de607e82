// Calls of fill: NumPy arrays go from here to the kernels, everything else to a Python function,
// which knows all kinds of arrays and all errors.
#include "arrays.h"
#include "numpy_fields.h"
#include "op_fields.h"
#include "scalars.h"
#include "trace.h"

namespace hologram::python {

PyObject* CallFill(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names) {
  OpObject* self = AsOp(callable);
  NumpyArray out;
  uint64_t bits = 0;
  while (PyVectorcall_NARGS(flags) == 2 && names == nullptr && ReadNumpyArray(given[0], out) &&
         out.writable && !out.is_bool && out.count() != 0 && out.rank <= kMostRank &&
         (PyFloat_CheckExact(given[1]) || PyLong_CheckExact(given[1]))) {
    if (!ReadScalar(given[1], out.code, bits)) {
      PyErr_Clear();
      break;
    }
    Operands operands;
    operands.count = 1;
    const uint32_t code = kBitsCodes[out.size];
    operands.list[0] = {out.data, code, out.size, out.rank, out.extents, out.strides};
    operands.num_numbers = 1;
    operands.numbers[0] = bits;
    if (RunElements(self, code, operands)) return Py_NewRef(given[0]);
    if (!MustRepeat()) return nullptr;
  }
  return CallUncommon(self, given, flags, names);
}

}  // namespace hologram::python
