"""Functions of C, CUDA, GLSL, ISPC, NumPy, Numba, OpenCL, Taichi, Triton, and their form here."""

from __future__ import annotations

# Name elsewhere -> what to write.
FUNCTIONS = {
    **dict.fromkeys(("where", "iif"), "select(condition, a, b)"),
    **dict.fromkeys(("fabs", "fabsf", "absolute"), "abs(x)"),
    **dict.fromkeys(("fmin", "fminf", "minimum"), "min(a, b)"),
    **dict.fromkeys(("fmax", "fmaxf", "maximum"), "max(a, b)"),
    "clip": "clamp(x, low, high)",
    **dict.fromkeys(("saturate", "__saturatef"), "clamp(x, 0.0, 1.0)"),
    **{
        f"__{name}f": f"{name}(x, fast=True)"
        for name in ("exp", "log", "log2", "log10", "sin", "cos")
    },
    "__powf": "pow(x, y, fast=True)",
    "__fdividef": "x / y",
    "logical_and": "a and b",
    "logical_or": "a or b",
    "logical_not": "not a",
    "logical_xor": "a != b",
    "literal_unroll": "the tuple alone, `for w in (1.0, 2.0):`, which is written out",
    **{f"arc{name}": f"a{name}(x)" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "arctan2": "atan2(y, x)",
    "power": "x ** y",
    "square": "x * x",
    "reciprocal": "1.0 / x",
    "ln": "log(x)",
    **dict.fromkeys(("mod", "remainder", "floor_mod"), "x % y, or fmod(x, y) with the sign of x"),
    "floor_divide": "x // y",
    "cdiv": "(x + y - 1) // y",
    **dict.fromkeys(("rint", "nearbyint", "around"), "round(x)"),
    "fix": "trunc(x)",
    **dict.fromkeys(("lerp", "mix"), "a + t * (b - a)"),
    "fract": "x - floor(x)",
    **dict.fromkeys(("radians", "deg2rad"), "x * (math.pi / 180)"),
    **dict.fromkeys(("degrees", "rad2deg"), "x * (180 / math.pi)"),
    "sincos": "sin(x) and cos(x)",
    **dict.fromkeys(("gamma", "tgamma"), "exp(lgamma(x)) for x > 0"),
    "gammaln": "lgamma(x)",
    "ldexp": "x * 2.0**n",
    "mad": "fma(a, b, c)",
    "signbit": "copysign(1.0, x) < 0",
    **dict.fromkeys(("popcount", "bit_count", "__popc", "__popcll"), "popc(x)"),
    **dict.fromkeys(("__clz", "__clzll", "countl_zero"), "clz(x)"),
    **dict.fromkeys(("ffs", "__ffs", "countr_zero"), "ctz(x), which counts from 0"),
    **dict.fromkeys(("__mulhi", "__umulhi", "umulhi", "mul_hi"), "mulhi(a, b)"),
    **dict.fromkeys(("rotate", "rotl32", "rol"), "rotl(x, n)"),
    "ror": "rotr(x, n)",
    **dict.fromkeys(("__float_as_uint", "float_as_uint"), "bitcast(u32, x)"),
    **dict.fromkeys(("__uint_as_float", "uint_as_float"), "bitcast(f32, x)"),
    **dict.fromkeys(("syncthreads", "__syncthreads", "debug_barrier"), "barrier()"),
    "program_id": "get_block_id(d)",
    "num_programs": "get_grid_dim(d)",
    "atomicAdd": "atomic_add(array, i, value)",
    **dict.fromkeys(("atomicInc", "atomic_inc"), "atomic_add(array, i, 1)"),
    **dict.fromkeys(("atomicDec", "atomic_dec"), "atomic_add(array, i, -1)"),
    **{f"atomic{name}": f"atomic_{name.lower()}(array, i, value)" for name in ("And", "Or", "Xor")},
    "_replace": "a copy and its field, `q = p` and `q.field = value`",
    "format": 'an f-string in a print or an assert, f"{x}"',
    "reshape": "the index, x[i * columns + j], or pass an array of type DeviceArray[f32, 2]",
    "atomic_xchg": "atomic_exchange(array, i, value)",
    "interp": "a + t * (b - a)",
    "expit": "sigmoid(x)",
    "inversesqrt": "rsqrt(x)",
    "sync": "barrier()",
    "grid": "get_global_id()",
    "gridsize": "get_grid_dim() * get_block_dim()",
    "atomicMax": "atomic_max(array, index, value)",
    "atomicMin": "atomic_min(array, index, value)",
    "atomicCAS": "atomic_cas(array, index, expected, value)",
    "atomicExch": "atomic_exchange(array, index, value)",
    "sum": "a loop, `for v in x: total += v`",
    "prod": "a loop, `for v in x: product *= v`",
    "any": "a loop, or `or`",
    "all": "a loop, or `and`",
    "sorted": "a loop of compare and swap",
    **dict.fromkeys(("zeros", "empty"), "local(f32, 16), which starts as zeros"),
    "array": "(1.0, 2.0) for constants, local(f32, 16) for memory",
    **dict.fromkeys(("Vector", "make_float3", "float3"), "vec3(x, y, z)"),
    "Matrix": "mat3(...)",
    **dict.fromkeys(("make_float2", "float2"), "vec2(x, y)"),
    **dict.fromkeys(("make_float4", "float4"), "vec4(x, y, z, w)"),
    "norm": "length(v)",
    "normalized": "normalize(v)",
    "matmul": "the loops, or `a @ b` of mat2, mat3, mat4",
    "arange": "a loop over `range`, or get_global_id()",
    "load": "x[i]",
    "store": "x[i] = value",
    **dict.fromkeys(("rand", "random"), "random_uniform(seed, i, 0)"),
    "randn": "random_normal(seed, i, 0)",
    # What has more names before it is looked for with them first.
    **{
        f"atomic.{name}": f"atomic_{name}(array, index, value)"
        for name in ("add", "min", "max", "and_", "or_", "xor")
    },
    "atomic.sub": "atomic_add(array, index, -value)",
    "atomic.inc": "atomic_add(array, index, 1)",
    "atomic.exch": "atomic_exchange(array, index, value)",
    "atomic.cas": "atomic_cas(array, index, expected, value)",
    "atomic.compare_and_swap": "atomic_cas(array, 0, expected, value)",
    **dict.fromkeys(("atomicSub", "atomic_sub"), "atomic_add(array, index, -value)"),
    "shared.array": "shared(f32, 64)",
    "local.array": "local(f32, 16), which starts as zeros",
    **dict.fromkeys(("astype", "to"), "the type as a function, f32(x)"),
    **dict.fromkeys(("view", "as_type", "reinterpret_cast"), "bitcast(u32, x)"),
    **dict.fromkeys(("__float_as_int", "float_as_int"), "bitcast(i32, x)"),
    **dict.fromkeys(("__int_as_float", "int_as_float"), "bitcast(f32, x)"),
    "bit_length": "32 - clz(x) for u32, 64 - clz(x) for u64",
    "gcd": "a loop, `while b != 0: a, b = b, a % b`",
    "isinstance": "the side that is meant: types are known when compiling",
    "printf": "print(...), with values or an f-string",
    "item": "the value alone",
    **dict.fromkeys(
        ("append", "extend", "insert", "pop"),
        "an element, `a[i] = x`: arrays and local(f32, 8) do not grow, and there are no lists",
    ),
    "dtype": "the name of the type, f32(0)",
    "ord": "the number of the character",
    **dict.fromkeys(("static_range", "ndrange", "prange"), "range(n)"),
    "tl.sum": "block_reduce_add(x), or warp_reduce_add(x)",
    "tl.max": "block_reduce_max(x), or warp_reduce_max(x)",
    "tl.min": "block_reduce_min(x), or warp_reduce_min(x)",
    "cumsum": "block_scan_add(x), or warp_scan_add(x)",
    "associative_scan": "block_scan_add(x), or warp_scan_add(x)",
    **{
        f"{prefix}shfl{kind}{suffix}": f"shuffle{full}(x, {argument})"
        for prefix in ("", "__")
        for kind, full, argument in (
            ("", "", "source"),
            ("_up", "_up", "count"),
            ("_down", "_down", "count"),
            ("_xor", "_xor", "mask"),
        )
        for suffix in ("", "_sync")
    },
    **{
        f"{prefix}{word}_sync": text
        for prefix in ("", "__")
        for word, text in (
            ("ballot", "ballot(flag)"),
            ("any", "warp_any(flag)"),
            ("all", "warp_all(flag)"),
        )
    },
    **{
        f"{head}{operation}{tail}": f"warp_reduce_{operation}(x)"
        for operation in ("add", "min", "max", "and", "or", "xor")
        for head, tail in (("__reduce_", "_sync"), ("reduce_", "_sync"))
    },
    "warp_sum": "warp_reduce_add(x)",
    "warp_min": "warp_reduce_min(x)",
    "warp_max": "warp_reduce_max(x)",
    "warp_scan": "warp_scan_add(x)",
    "warp_reduce": "warp_reduce_add(x)",
    **dict.fromkeys(("syncwarp", "__syncwarp"), "nothing: what warps do waits for their lanes"),
    **dict.fromkeys(("activemask", "__activemask"), "ballot(True)"),
    **{
        f"{head}syncthreads_{word}": f"block_reduce_{operation}(u32(flag))"
        for head in ("", "__")
        for word, operation in (("or", "or"), ("and", "and"), ("count", "add"))
    },
    **dict.fromkeys(("threadfence", "__threadfence"), "barrier(), or atomics"),
    **dict.fromkeys(("brev", "__brev"), "a loop, `r = r << 1 | x >> k & 1`"),
    **dict.fromkeys(("ldg", "__ldg"), "x[i]"),
    **dict.fromkeys(("memcpy", "memset", "copyto"), "a loop, `for j in range(n): a[j] = b[j]`"),
    "sizeof": "the number of bytes, 4 for f32",
    **dict.fromkeys(("exit", "trap", "__trap"), "assert condition"),
    **dict.fromkeys(("malloc", "new"), "local(f32, 16), which starts as zeros"),
    "smoothstep": "t * t * (3.0 - 2.0 * t), with t = clamp((x - a) / (b - a), 0.0, 1.0)",
    "step": "select(x < edge, 0.0, 1.0)",
    # The operators of NumPy and Triton as functions.
    **{
        name: f"x {operator} y"
        for operator, several in (
            ("+", ("add",)),
            ("-", ("subtract", "sub")),
            ("*", ("multiply", "mul")),
            ("/", ("divide", "true_divide", "truediv", "fdiv")),
            ("&", ("bitwise_and",)),
            ("|", ("bitwise_or",)),
            ("^", ("bitwise_xor",)),
            ("<<", ("left_shift", "bitwise_left_shift")),
            (">>", ("right_shift", "bitwise_right_shift")),
            ("<", ("less",)),
            (">", ("greater",)),
            ("<=", ("less_equal",)),
            (">=", ("greater_equal",)),
            ("==", ("equal",)),
            ("!=", ("not_equal",)),
        )
        for name in several
    },
    **dict.fromkeys(("negative", "neg"), "-x"),
    **dict.fromkeys(("invert", "bitwise_not"), "~x"),
    "heaviside": "select(x < 0.0, 0.0, select(x > 0.0, 1.0, h))",
    "isclose": "abs(a - b) <= tolerance",
    "nan_to_num": "select(isnan(x), 0.0, x)",
    **dict.fromkeys(
        ("np.dot", "numpy.dot", "vdot", "inner"),
        "a loop, `for j in range(n): total += a[j] * b[j]`",
    ),
    **dict.fromkeys(("argmax", "argmin"), "a loop that keeps the best value and its index"),
    **dict.fromkeys(("mean", "average"), "a loop, `for v in x: total += v`, and total / n"),
    **dict.fromkeys(("linspace", "logspace"), "the value of a lane, a + i * step"),
    "isqrt": "u32(sqrt(f64(x)))",
    "factorial": "its value, or a loop of products",
    "comb": "its value, or a loop of products",
    "index": "a loop that compares",
    "count": "sum(1 if w == x else 0 for w in W)",
    **dict.fromkeys(("map", "filter"), "a generator or a loop, `sum(f(v) for v in W)`"),
    "cast": "the type as a function, f32(x)",
    "tid": "get_global_id()",
    # OpenCL.
    "get_global_size": "get_grid_dim(d) * get_block_dim(d)",
    **dict.fromkeys(("get_local_size", "get_enqueued_local_size"), "get_block_dim(d)"),
    "get_group_id": "get_block_id(d)",
    "get_num_groups": "get_grid_dim(d)",
    **dict.fromkeys(("get_global_linear_id", "get_global_offset"), "get_global_id()"),
    "get_local_linear_id": "get_local_id()",
    **dict.fromkeys(("get_sub_group_size", "get_max_sub_group_size"), "32"),
    "get_sub_group_local_id": "get_local_id() % 32",
    "get_sub_group_id": "get_local_id() // 32",
    **dict.fromkeys(("work_group_barrier", "mem_fence"), "barrier()"),
    **{
        f"{group}_group_{verb}_{operation}": f"{ours}_{short}_{operation}(x)"
        for group, ours in (("work", "block"), ("sub", "warp"))
        for verb, short in (("reduce", "reduce"), ("scan_inclusive", "scan"))
        for operation in ("add", "min", "max")
        if operation == "add" or short == "reduce"
    },
    "work_group_any": "block_reduce_or(u32(flag))",
    "work_group_all": "block_reduce_and(u32(flag))",
    "sub_group_any": "warp_any(flag)",
    "sub_group_all": "warp_all(flag)",
    "sub_group_broadcast": "shuffle(x, source)",
    **{
        f"{kind}_{name}": f"{name}(x, fast=True)"
        for kind in ("native", "half")
        for name in ("exp", "log", "log2", "log10", "sin", "cos")
    },
    **{f"{kind}_{name}": f"{name}(x)" for kind in ("native", "half") for name in ("sqrt", "rsqrt")},
    **{f"{kind}_divide": "x / y" for kind in ("native", "half")},
    **{f"{kind}_recip": "1.0 / x" for kind in ("native", "half")},
    **{
        f"{verb}_{name}": f"{kind}(x)" if verb == "convert" else f"bitcast({kind}, x)"
        for verb in ("convert", "as")
        for name, kind in (
            ("char", "i8"),
            ("uchar", "u8"),
            ("short", "i16"),
            ("ushort", "u16"),
            ("int", "i32"),
            ("uint", "u32"),
            ("long", "i64"),
            ("ulong", "u64"),
            ("half", "f16"),
            ("float", "f32"),
            ("double", "f64"),
        )
    },
    "mad24": "a * b + c",
    "mul24": "a * b",
    # ISPC.
    **{f"reduce_{operation}": f"warp_reduce_{operation}(x)" for operation in ("add", "min", "max")},
    "exclusive_scan_add": "warp_exclusive_scan_add(x)",
    # Types elsewhere, as casts.
    **{
        name: f"{kind}(x)"
        for kind, several in (
            ("u8", ("uint8_t", "uchar", "uint8")),
            ("i8", ("int8_t", "char", "schar", "int8")),
            ("u16", ("uint16_t", "ushort", "uint16")),
            ("i16", ("int16_t", "short", "int16")),
            ("u32", ("uint32_t", "unsigned", "uint", "uint32")),
            ("i32", ("int32_t", "int32", "intc")),
            ("u64", ("uint64_t", "ulong", "ulonglong", "size_t", "uint64", "uintp")),
            ("i64", ("int64_t", "long", "longlong", "ptrdiff_t", "int64", "intp")),
            ("f16", ("half", "__half", "float16")),
            ("bf16", ("bfloat16",)),
            ("f32", ("float32", "single")),
            ("f64", ("double", "float64")),
            ("bool", ("boolean", "bool_")),
        )
        for name in several
    },
}

# Values of other systems.
VALUES = {
    **{f"threadIdx.{axis}": f"get_local_id({d})" for d, axis in enumerate("xyz")},
    **{f"blockIdx.{axis}": f"get_block_id({d})" for d, axis in enumerate("xyz")},
    **{f"blockDim.{axis}": f"get_block_dim({d})" for d, axis in enumerate("xyz")},
    **{f"gridDim.{axis}": f"get_grid_dim({d})" for d, axis in enumerate("xyz")},
    **{
        f"{name}.{axis}": f"{ours}({d})"
        for name, ours in (
            ("gl_GlobalInvocationID", "get_global_id"),
            ("thread_position_in_grid", "get_global_id"),
            ("gl_LocalInvocationID", "get_local_id"),
            ("gl_WorkGroupID", "get_block_id"),
            ("gl_WorkGroupSize", "get_block_dim"),
            ("gl_NumWorkGroups", "get_grid_dim"),
        )
        for d, axis in enumerate("xyz")
    },
    **dict.fromkeys(("laneid", "laneId"), "get_local_id() % 32"),
    **dict.fromkeys(("warpsize", "warpSize"), "32"),
    "dtype": "the name of the type",
    "T": "a[j, i]",
    "newaxis": "the indices, a[i, j]",
}

# Plain names that C and NumPy have.
NAMES = {
    **dict.fromkeys(("warpSize", "warpsize"), "32"),
    # ISPC.
    "programIndex": "get_local_id()",
    "programCount": "get_block_dim()",
    "taskIndex": "get_block_id()",
    "taskCount": "get_grid_dim()",
    # OpenCL.
    **dict.fromkeys(("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE"), "barrier() without it"),
    "true": "True",
    "false": "False",
    **dict.fromkeys(
        ("NULL", "nullptr"), "a parameter that may be left out, `DeviceArray[f32] | None`"
    ),
    **dict.fromkeys(("M_PI", "PI", "pi"), "math.pi, with `import math` at the top"),
    "M_PI_2": "math.pi / 2, with `import math` at the top",
    "M_E": "math.e, with `import math` at the top",
    "M_SQRT2": "sqrt(2.0)",
    **dict.fromkeys(("INFINITY", "HUGE_VAL", "HUGE_VALF", "Inf"), "inf"),
    **dict.fromkeys(("NAN", "NaN"), "nan"),
    "FLT_MAX": "3.4028235e38, or inf",
    "DBL_MAX": "1.7976931348623157e308, or inf",
    "FLT_MIN": "2.0**-126",
    "DBL_MIN": "2.0**-1022",
    "FLT_EPSILON": "2.0**-23",
    "DBL_EPSILON": "2.0**-52",
    **dict.fromkeys(("INT_MAX", "INT32_MAX"), "2**31 - 1"),
    **dict.fromkeys(("INT_MIN", "INT32_MIN"), "-(2**31)"),
    **dict.fromkeys(("UINT_MAX", "UINT32_MAX"), "2**32 - 1"),
    **dict.fromkeys(("INT64_MAX", "LLONG_MAX"), "2**63 - 1"),
    **dict.fromkeys(("UINT64_MAX", "ULLONG_MAX", "SIZE_MAX"), "2**64 - 1"),
}


def function(dotted: str) -> str | None:
    """What to write for a function of another system, `tl.sum`, `cuda.atomic.add`, `where`."""
    return _found(FUNCTIONS, dotted)


def value(dotted: str) -> str | None:
    return _found(VALUES, dotted)


def _found(table: dict[str, str], dotted: str) -> str | None:
    parts = dotted.split(".")
    for first in range(max(0, len(parts) - 2), len(parts)):
        found = table.get(".".join(parts[first:]))
        if found is not None:
            return found
    return None
