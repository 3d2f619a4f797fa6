// Tables of types: names, sizes, promotion.

#include <c10/core/ScalarType.h>

#include <c10/util/Exception.h>

namespace c10 {
namespace detail {

constexpr int kNumTypes = static_cast<int>(ScalarType::NumOptions);

#define SIZE_OF(cpp, name) \
  case ScalarType::name:   \
    return sizeof(cpp);
#define STORAGE_SIZE_OF(name, python, size) \
  case ScalarType::name:                    \
    return size;
static constexpr uint8_t size_of(ScalarType t) {
  switch (t) {
    C10_FORALL_SCALAR_TYPES(SIZE_OF)
    C10_FORALL_STORAGE_TYPES(STORAGE_SIZE_OF)
    default:
      return 0;
  }
}
#undef SIZE_OF
#undef STORAGE_SIZE_OF

struct SizeTable {
  uint8_t of[kNumTypes] = {};
  constexpr SizeTable() {
    for (int i = 0; i < kNumTypes; ++i) of[i] = size_of(static_cast<ScalarType>(i));
  }
};
static constexpr SizeTable table;

#define ROW10(n)                                                                   \
  table.of[n], table.of[n + 1], table.of[n + 2], table.of[n + 3], table.of[n + 4], \
      table.of[n + 5], table.of[n + 6], table.of[n + 7], table.of[n + 8], table.of[n + 9]
const uint8_t kElementSizes[kNumTypes] = {ROW10(0),     ROW10(10),    ROW10(20),    ROW10(30),
                                          table.of[40], table.of[41], table.of[42], table.of[43],
                                          table.of[44], table.of[45], table.of[46]};
#undef ROW10

}  // namespace detail

const char* toString(ScalarType t) {
#define NAME(cpp, name)  \
  case ScalarType::name: \
    return #name;
#define STORAGE_NAME(name, python, size) \
  case ScalarType::name:                 \
    return #name;
  switch (t) {
    C10_FORALL_SCALAR_TYPES(NAME)
    C10_FORALL_STORAGE_TYPES(STORAGE_NAME)
    case ScalarType::Undefined:
      return "Undefined";
    default:
      return "UNKNOWN_SCALAR";
  }
#undef NAME
#undef STORAGE_NAME
}

std::string to_string(ScalarType t) { return toString(t); }

const char* dtypeName(ScalarType t) {
  switch (t) {
    case ScalarType::Byte:
      return "uint8";
    case ScalarType::Char:
      return "int8";
    case ScalarType::Short:
      return "int16";
    case ScalarType::Int:
      return "int32";
    case ScalarType::Long:
      return "int64";
    case ScalarType::Half:
      return "float16";
    case ScalarType::Float:
      return "float32";
    case ScalarType::Double:
      return "float64";
    case ScalarType::ComplexHalf:
      return "complex32";
    case ScalarType::ComplexFloat:
      return "complex64";
    case ScalarType::ComplexDouble:
      return "complex128";
    case ScalarType::Bool:
      return "bool";
    case ScalarType::BFloat16:
      return "bfloat16";
    case ScalarType::Float8_e5m2:
      return "float8_e5m2";
    case ScalarType::Float8_e4m3fn:
      return "float8_e4m3fn";
    case ScalarType::Float8_e5m2fnuz:
      return "float8_e5m2fnuz";
    case ScalarType::Float8_e4m3fnuz:
      return "float8_e4m3fnuz";
    case ScalarType::Float8_e8m0fnu:
      return "float8_e8m0fnu";
    case ScalarType::UInt16:
      return "uint16";
    case ScalarType::UInt32:
      return "uint32";
    case ScalarType::UInt64:
      return "uint64";
#define PYTHON_NAME(name, python, size) \
  case ScalarType::name:                \
    return #python;
      C10_FORALL_STORAGE_TYPES(PYTHON_NAME)
#undef PYTHON_NAME
    default:
      return "";
  }
}

const char* dtypeLegacyName(ScalarType t) {
  switch (t) {
    case ScalarType::Short:
      return "short";
    case ScalarType::Int:
      return "int";
    case ScalarType::Long:
      return "long";
    case ScalarType::Half:
      return "half";
    case ScalarType::Float:
      return "float";
    case ScalarType::Double:
      return "double";
    case ScalarType::ComplexHalf:
      return "chalf";
    case ScalarType::ComplexFloat:
      return "cfloat";
    case ScalarType::ComplexDouble:
      return "cdouble";
    case ScalarType::UInt1:
      return "bit";
    default:
      return "";
  }
}

// The kinds in the order in which a wider one absorbs a narrower one.
static int kind(ScalarType t) {
  if (t == kBool) return 0;
  if (isIntegralType(t) || detail::in(t, detail::kNarrowUnsignedTypes)) return 1;
  if (isFloatingType(t)) return 2;
  return 3;
}

static bool is_barebones_unsigned(ScalarType t) {
  return t == kUInt16 || t == kUInt32 || t == kUInt64 ||
         detail::in(t, detail::kNarrowUnsignedTypes);
}

ScalarType promoteTypes(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (isUndefined(a) || isUndefined(b)) return ScalarType::Undefined;
  TORCH_CHECK(!isFloat8Type(a) && !isFloat8Type(b),
              "Promotion for Float8 Types is not supported, attempted to promote ", toString(a),
              " and ", toString(b));
  for (ScalarType t : {a, b}) {
    TORCH_CHECK(!isStorageType(t) || detail::in(t, detail::kNarrowUnsignedTypes), toString(a),
                " and ", toString(b), " have no common type: ", toString(t), " only stores bytes");
  }
  int ka = kind(a), kb = kind(b);
  if (is_barebones_unsigned(a) || is_barebones_unsigned(b)) {
    if (ka == 2) return a;
    if (kb == 2) return b;
    TORCH_CHECK(false,
                "Promotion for uint16, uint32, uint64 types is not supported, attempted to "
                "promote ",
                toString(a), " and ", toString(b), "; the same holds for uint1 to uint7");
  }
  if (ka > kb) {
    std::swap(a, b);
    std::swap(ka, kb);
  }
  // From here on b has the wider kind.
  if (ka == 0 || (ka == 1 && kb >= 2)) return b;
  if (kb == 1) {
    // uint8 needs one more bit than int8 has; otherwise the wider one.
    if (elementSize(a) == elementSize(b)) return kShort;
    return elementSize(a) > elementSize(b) ? a : b;
  }
  if (kb == 2) {
    if (elementSize(a) == elementSize(b)) return kFloat;  // Half with BFloat16
    return elementSize(a) > elementSize(b) ? a : b;
  }
  // Complex: the real types decide, and BFloat16 counts as float.
  ScalarType ra = toRealValueType(a), rb = toRealValueType(b);
  return toComplexType(promoteTypes(ra == kBFloat16 ? kFloat : ra, rb));
}

bool canCast(ScalarType from, ScalarType to) {
  if (isComplexType(from) && !isComplexType(to)) return false;
  if (isFloatingType(from) && isIntegralType(to)) return false;
  return to != kBool || from == kBool;
}

}  // namespace c10
