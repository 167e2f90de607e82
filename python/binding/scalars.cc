#include "scalars.h"

#include <bit>
#include <cmath>
#include <string>

#include "conversion.h"
#include "hologram/hologram.h"
#include "isa/half.h"
#include "isa/type.h"
#include "numpy_fields.h"

namespace hologram::python {
namespace {

bool DoesNotFit(PyObject* value, isa::Type type) {
  const std::string name(isa::NameOf(type));
  PyErr_Format(PyExc_OverflowError, "expects %s, found %R, which does not fit", name.c_str(),
               value);
  return false;
}

bool ReadInteger(PyObject* value, isa::Type type, uint64_t& bits);

// A float without a fraction is that integer, as NumPy has it.
bool ReadWhole(PyObject* value, isa::Type type, uint64_t& bits) {
  const double number = PyFloat_AsDouble(value);
  if (!std::isfinite(number) || std::trunc(number) != number) {
    const std::string name(isa::NameOf(type));
    PyErr_Format(PyExc_TypeError, "expects %s, found %R", name.c_str(), value);
    return false;
  }
  PyObject* integer = PyLong_FromDouble(number);
  if (integer == nullptr) return false;
  const bool read = ReadInteger(integer, type, bits);
  Py_DECREF(integer);
  return read;
}

bool ReadInteger(PyObject* value, isa::Type type, uint64_t& bits) {
  if (PyFloat_Check(value) != 0) return ReadWhole(value, type, bits);
  if (PyLong_Check(value) == 0) {
    const Conversion conversion;
    if (!conversion.may_go_on()) return false;
    PyObject* integer = PyNumber_Index(value);
    if (integer == nullptr) {
      if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
      PyErr_Clear();
      if (type == isa::Type::kU8 && IsNumpyBool(value)) {  // no integer, as NumPy has it
        bits = PyObject_IsTrue(value) == 1 ? 1 : 0;
        return true;
      }
      const std::string name(isa::NameOf(type));
      PyErr_Format(PyExc_TypeError, "expects %s, found %R", name.c_str(), value);
      return false;
    }
    const bool read = ReadInteger(integer, type, bits);
    Py_DECREF(integer);
    return read;
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  const uint32_t unused = 64 - isa::BitsOf(type);
  if (isa::IsSignedInteger(type)) {
    const auto kept = static_cast<long long>(static_cast<uint64_t>(number) << unused) >> unused;
    if (overflow != 0 || kept != number) return DoesNotFit(value, type);
    bits = static_cast<uint64_t>(number) << unused >> unused;
    return true;
  }
  if (overflow > 0 && unused == 0) {
    bits = PyLong_AsUnsignedLongLong(value);
    if (PyErr_Occurred() == nullptr) return true;
    PyErr_Clear();
    return DoesNotFit(value, type);
  }
  bits = static_cast<uint64_t>(number);
  if (overflow != 0 || number < 0 || bits << unused >> unused != bits) {
    return DoesNotFit(value, type);
  }
  return true;
}

// False: a RecursionError is set. Other errors are left as PyFloat_AsDouble leaves them.
[[gnu::noinline]] bool ConvertToDouble(PyObject* value, double& number) {
  const Conversion conversion;
  if (!conversion.may_go_on()) return false;
  number = PyFloat_AsDouble(value);
  return true;
}

bool AsDouble(PyObject* value, double& number) {
  if (PyFloat_Check(value) == 0) return ConvertToDouble(value, number);
  number = PyFloat_AsDouble(value);
  return true;
}

bool ReadFloat(PyObject* value, isa::Type type, uint64_t& bits) {
  double number = 0.0;
  if (!AsDouble(value, number)) return false;
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
    PyErr_Clear();
    const std::string name(isa::NameOf(type));
    PyErr_Format(PyExc_TypeError, "expects %s, found %R", name.c_str(), value);
    return false;
  }
  if (type == isa::Type::kF32) {
    const auto rounded = static_cast<float>(number);
    if (std::isinf(rounded) && !std::isinf(number)) return DoesNotFit(value, type);
    bits = std::bit_cast<uint32_t>(rounded);
    return true;
  }
  bits = isa::FloatBits(number, type);
  if (std::isinf(isa::FloatValue(bits, type)) && !std::isinf(number)) {
    return DoesNotFit(value, type);
  }
  return true;
}

}  // namespace

bool ReadScalar(PyObject* value, uint32_t type, uint64_t& bits) {
  const auto element = static_cast<isa::Type>(type);
  return isa::IsFloat(element) ? ReadFloat(value, element, bits)
                               : ReadInteger(value, element, bits);
}

bool IsPlainNumber(PyObject* value) {
  // PyFloat_AsDouble does not ask classes derived from float.
  return PyFloat_Check(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
         IsNumpyNumber(value);
}

}  // namespace hologram::python
