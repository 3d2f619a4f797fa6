"""Known and intended differences, each with its reason. A difference that no entry explains is a finding.

A difference in gradients lists the operators of the smallest program that shows it, in order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass
class Known:
    reason: str
    kind: str = ".*"  # all three are regular expressions that must match the whole text
    op: str = ".*"
    message: str = ".*"

    def explains(self, d):
        return all(re.fullmatch(p, s, re.S) for p, s in ((self.kind, d.kind), (self.op, d.op), (self.message, d.message)))


def among(*names):
    """Matches programs with one of these operators, in-place or not."""
    return rf"(.* )?({'|'.join(names)})_?( .*)?"


ERRORS = (
    Known(
        "index_add of one dimension raises what it raises of more; PyTorch changes to IndexError.",
        op="index_add_?",
        message=r"RuntimeError / IndexError: .*",
    ),
    Known("PyTorch reads past the end.", op="take_along_dim", message=r"RuntimeError / takes it: index .* out of bounds.*"),
    Known(
        "A view of several may not be used after a change of its base; PyTorch raises the error when a gradient is requested.",
        message=r"RuntimeError / takes it: .*(is a view|A view was created in no_grad mode) and its base or another.*",
    ),
    Known(
        "Conjugated tensors are tensors like others.",
        op="view_as_real",
        message=r"takes it / RuntimeError: .*unresolved conjugated.*",
    ),
    Known("Types must agree, of empty matrices too.", op="bmm", message=r"RuntimeError / takes it: .*to have the same dtype.*"),
    Known("kron takes every layout.", op="kron", message=r"takes it / RuntimeError: .*view size is not compatible.*"),
    Known("ldexp saves its first argument.", op=among("ldexp"), message=r"RuntimeError / takes it: .*modified by an inplace.*"),
    Known(
        "A fill gives the same in any order.",
        op="setitem",
        message=r"takes it / RuntimeError: .*more than one element of the written-to.*",
    ),
    Known(
        "Only views return views, so the result may be detached in place.",
        message=r"takes it / RuntimeError: .*Can't detach views in-place.*",
    ),
    Known(
        "What comparisons write in place needs no gradient, yet the rules of other changes hold.",
        op=r"logical_\w+_",
        message=r"RuntimeError / takes it: .*(leaf|multiple views|no_grad mode).*",
    ),
    Known(
        "A change refused by one leaves views in another state, which the next use tells.",
        message=r"(of a view / takes it|takes it / of a view|of a view / RuntimeError|RuntimeError / of a view): .*",
    ),
    Known(
        "3-d pooling checks the padded image; PyTorch requires the unpadded image to be larger than the kernel.",
        message=r"takes it / RuntimeError: .*input image .* smaller than kernel size .*",
    ),
    Known(
        "kron and tensordot save their arguments, not copies of them.",
        op=among("kron", "inner", "tensordot"),
        message=r"RuntimeError / takes it: .*modified by an inplace.*",
    ),
    Known(
        "Wide unsigned integers promote with nothing.",
        message=r"RuntimeError / takes it: .*Promotion for uint16, uint32, uint64.*",
    ),
    Known(
        "The operator is missing and raises an error that says so.",
        message=r"(NotImplementedError|AttributeError) / .*does not have it yet.*",
    ),
    Known(
        "PyTorch has no kernel for the type; this library has.",
        message=r"takes it / \w+: .*(not (implemented|supported)|Unsupported dtype).*",
    ),
    Known(
        "Both refuse; NotImplementedError is a RuntimeError.",
        message=r"(NotImplementedError / RuntimeError|RuntimeError / NotImplementedError): .*",
    ),
    Known(
        "A source that shares memory with the target is copied first; PyTorch refuses it.",
        message=r"takes it / RuntimeError: .*refer to a single memory location.*",
    ),
    Known(
        "Backward formulas that need less: PyTorch saves a tensor that this library does not.",
        message=r"takes it / RuntimeError: .*has been modified by an inplace operation.*",
    ),
    Known(
        "The derivative exists here.",
        message=r"takes it / RuntimeError: .*(is not differentiable with respect to argument|derivative for .* is not implemented"
        r"|does not support automatic differentiation for outputs with complex dtype).*",
    ),
    Known("Refused; PyTorch leaves the frequencies out.", message=r".*double backward for embedding with scale_grad_by_freq.*"),
    Known(
        "Writing into an expanded tensor depends on the order of the writes.",
        op=r"setitem|\w+_",
        message=r"RuntimeError / takes it: .*more than one element of the written-to tensor.*",
    ),
    Known(
        "A view may be changed that was made before its base came to need a gradient; PyTorch takes it for a leaf.",
        message=r"takes it / RuntimeError: .*a (view of a )?leaf Variable that requires grad is being used in an in-place.*",
    ),
    Known(
        "PyTorch's own defect.",
        message=r"takes it / RuntimeError: .*(INTERNAL ASSERT FAILED|Could this error message be improved"
        r"|returned an invalid gradient|Autograd not support).*",
    ),
    Known(
        "float8, complex32 and wide unsigned integers have fewer operators here.",
        message=r"NotImplementedError / takes it: .*not implemented for .(Float8|ComplexHalf|UInt(16|32|64)).*",
    ),
    Known(
        "clamp between tensors that make the result larger: PyTorch's gradient of the bounds fails.",
        op=among("clamp"),
        message=r"takes it / RuntimeError: .*doesn't match the broadcast shape.*",
    ),
)

NUMBERS = (
    Known("An unsigned integer negated: PyTorch's formula wraps around.", "gradients", among("atan2")),
    Known("The logarithm of an integer base: PyTorch takes it in float32.", "gradients", among("pow"), r".*float64.*"),
    Known(
        "Logarithms of gradients in half types: neither result has a right digit.",
        "gradients",
        among("logcumsumexp"),
        r"\w+ (b?float16): .*",
    ),
    Known("At a radius of 0 the gradient is finite.", "gradients", among("polar"), r".* / -?inf.*"),
    Known("The vector library's fmod flushes denormal divisors.", "values", "fmod|remainder", r".*\bnan / .*"),
    Known("Copies of overlapping views do not overlap.", "values", "diagonal_scatter|select_scatter|slice_scatter"),
    Known(
        "Sums that overflow on the way: infinity or NaN depends on the order.",
        "values",
        "matmul|mm|bmm|mv|addmm|linear|einsum|dot|inner|tensordot|vdot|kron",
        r".*\b(inf|nan) / -?(inf|nan)",
    ),
    Known(
        "Which of several equal elements is the median is nobody's promise; of expanded tensors PyTorch sorts shared memory.",
        "values",
        "median|nanmedian",
    ),
    Known("Conversions of NaN and negative numbers to unsigned integers are nobody's promise.", "values", "to", r"uint\d+ .*"),
    Known(
        "A channel of equal numbers: rounding at the scale of 1 / sqrt(eps).", "values", r"\w+_norm", r"float32 .*e-0[5-9] / 0\.0"
    ),
    Known(
        "cumprod of another type: PyTorch multiplies by what was not converted.", "gradients", among("cumprod"), r".*complex.*"
    ),
    Known(
        "A source that shares memory with the target is copied first.",
        "values",
        "index_put_|scatter_|scatter_extremes_alone_|masked_scatter_|index_add_",
    ),
    Known("sinc is flat at 0; PyTorch's second derivative there is NaN.", "gradients", among("sinc"), r".* / nan.*"),
    Known("silu_ of complex numbers: PyTorch's in-place form leaves out a conjugation.", "gradients", among("silu")),
    Known(
        "The slope of what is cut at NaN depends on the vector path in PyTorch.",
        "gradients",
        among("hardshrink", "softshrink", "hardtanh", "relu6"),
        r".*\(not finite\)",
    ),
    Known(
        "The slope at NaN is NaN; of elu's kin and hardswish PyTorch's depends on the vector path.",
        "gradients",
        among("elu", "celu", "selu", "hardswish"),
        r".*\bnan / .*\(not finite\)",
    ),
    Known("An infinite weight times padding: NaN or nothing, by algorithm.", "values", r"conv\d?d?", r".*\bnan / .*|.* / nan"),
    Known(
        "The gradient of a norm at 0 is 0, and so is its derivative; PyTorch's second derivative there is NaN.",
        "gradients",
        among("norm", "normalize", "cosine_similarity", "dist", "pairwise_distance", "renorm"),
        r".*: \[\d+\] -?[\d.e+-]+ / nan \(finite again\)",
    ),
    Known("PyTorch's zero tensors swallow infinities.", "gradients", among("abs"), r".*\bnan / .*"),
    Known(
        "Where logit clamps nothing flows; PyTorch's second derivative there is NaN.",
        "gradients",
        among("logit"),
        r".* 0.0 / nan.*|.* / nan \(finite again\)|.*\bnan / .*\(not finite\)",
    ),
    Known(
        "The direction of numbers that are nothing but rounding.",
        "gradients",
        among("normalize"),
        r"\w+ float64: \[\d+\] -?[\d.]+e-0[5-9] / -?[\d.]+e-0[5-9] \(finite\)",
    ),
    Known(
        "Products of half types are multiplied in float32, where they do not overflow on the way.",
        "values",
        "prod",
        r"b?float16 .* / (nan|-?inf)",
    ),
    Known(
        "The root of the largest number is off by a unit, whose square overflows.", "values", "norm", r".* inf / 1\.797\d*e\+308"
    ),
    Known(
        "Of equal numbers PyTorch's normalizations leave some rounding, which makes one number more.",
        "shape",
        "unique",
        r"\[\d+\] / \[\d+\]",
    ),
    Known(
        "The scales of elu's kin are in float64; PyTorch rounds them to float32.",
        "gradients",
        among("elu", "celu", "selu"),
        r"\w+ (float64|complex128): .* again\)",
    ),
    Known(
        "Terms that cancel: both gradients are nothing but rounding.",
        "gradients",
        among("addcdiv"),
        r"\w+ (float32: \[\d+\] (-?(0\.000\d+|\d\.?\d*e-\d+)( / )?){2}|b?float16: \[\d+\] -?0\.\d+ / -?0\.\d+) .* again\)"
        r"|\w+ b?float\d+: \[\d+\] (0\.0 / -?\d[\d.e-]+|-?\d[\d.e-]+ / 0\.0) .*",
    ),
    Known("Products of numbers beyond the square root of the largest overflow.", "values", "cosine_similarity"),
    Known(
        "The norm of order 0 has a gradient of 0, which NaN makes NaN; PyTorch cuts the graph.",
        "gradients",
        among("norm"),
        r".* / none.*",
    ),
    Known(
        "The loss does not overflow where its exponential does.", "gradients", among("soft_margin_loss"), r".* / (nan|-?inf).*"
    ),
    Known(
        "cdist is vector_norm of differences: to order 0 NaN is a difference like others, to order 1 it has the sign 0, and the"
        " greatest of numbers with NaN is NaN.",
        "values|gradients",
        among("cdist"),
        r".*\b(nan / .*|.* / nan).*",
    ),
    Known(
        "The product of two zeros and NaN is NaN, and so is a product without one of them; PyTorch gives 0 where two are 0.",
        "gradients",
        among("prod"),
        r".*\bnan / .*\(not finite\)",
    ),
    Known(
        "Where the gradient is 0 logcumsumexp passes 0 on, twice too; PyTorch takes the logarithm of it.",
        "gradients",
        among("logcumsumexp"),
        r".* / (nan|-?inf).* again\)",
    ),
    Known(
        "What as_strided reaches beyond its base's elements is a constant; PyTorch divides 0 by 0.",
        "gradients",
        among("as_strided"),
        r".* / nan.* again\)",
    ),
    Known(
        "The softmax of infinities is taken apart from the result; PyTorch takes infinity from infinity.",
        "gradients",
        among("logsumexp"),
        r".* / nan \(not finite\)",
    ),
    Known(
        "Near its poles trigamma keeps its digits; PyTorch reflects it in float32.",
        "values",
        "polygamma",
        r"float32 .*: \[\d+\] (\d{5,}\.\d* / \d{5,}\.\d*|.*e\+.* / .*e\+.*)",
    ),
    Known(
        "The deviation of a single complex number is NaN; which part of its gradient is NaN too differs from form to form.",
        "gradients",
        among("std", "var", "std_mean", "var_mean"),
        r".* -?0\.0 / nan \(not finite\)",
    ),
    Known(
        "The slopes of gelu and mish far out are 0 and 1; PyTorch multiplies 0 by infinity.",
        "gradients",
        among("gelu", "mish"),
        r".* / nan.*",
    ),
    Known(
        "The factors of a gradient are multiplied in float32, where their product does not overflow as in PyTorch.",
        "gradients",
        among("addcmul", "addcdiv"),
        r"\w+ float16: \[\d+\] -?\d+\.\d+ / -?inf \((not )?finite\)",
    ),
    Known(
        "Of one element, or of equal ones, the cube of 1 / sqrt(eps) overflows in half types; it is taken in float32 here.",
        "gradients",
        among(r"\w+_norm"),
        r"\w+ float16: \[\d+\] 0\.0 / nan \(finite\)",
    ),
    Known(
        "An infinite gradient of a normalization: infinity or NaN depends on the order of three terms.",
        "gradients",
        among(r"\w+_norm"),
        r".*(-?inf / nan|nan / -?inf) \(not finite\)",
    ),
    Known(
        "A NaN that elu's kin pass on is lost in logcumsumexp, whose gradient is taken of positive and negative parts.",
        "gradients",
        r".*\blogcumsumexp .*\b(elu|celu|selu|hardswish)_?( .*)?",
        r".*\(not finite\)",
    ),
    Known("The divisor of the least integer is positive here.", "values", "gcd_?", r"int\d+ .*: \[\d+\] (\d+) / -\1"),
    Known("Running products go on in float64, of half types too.", "values", "cumprod_?", r"bfloat16 .* / (-?inf|nan)"),
    Known(
        "Where a factor is NaN or infinite the other factors' products stay numbers; PyTorch divides by it.",
        "gradients",
        among("scatter_reduce"),
        r".* / nan.*",
    ),
    Known(
        "Which of several equal elements a quantile belongs to is nobody's promise: PyTorch's sort of them is not stable.",
        "gradients",
        among("quantile", "nanquantile"),
        r"[^(]*: \[\d+\] -?[\d.]+ / -?[\d.]+ .*",
    ),
    Known("NaN among extremes: each NaN of a row shares the gradient.", "gradients", among("amin", "amax"), r".*\bnan\b.*"),
    Known("If self is excluded, it gets no share of an extreme's gradient.", "gradients", among("scatter_extremes_alone")),
    Known(
        "The mean of numbers with an infinity is that infinity; var_mean of PyTorch has NaN.",
        "values",
        "(var|std)_mean",
        r".*inf / nan",
    ),
    Known(
        "Complex infinities: which part becomes NaN depends on the vector path, in PyTorch too.",
        "values|gradients",
        message=r".*complex\d+.*: \[\d+\] .*\b(nan|inf)\b.*",
    ),
    Known(
        "Outside its domain acosh is NaN, and its gradient too; PyTorch's formula has numbers there.",
        "gradients",
        among("acosh"),
        r".*\bnan / .*",
    ),
    Known(
        "At the poles of digamma and trigamma stands the limit; PyTorch has a large number.",
        "values|gradients",
        among("digamma", "polygamma", "lgamma"),
        r".*\b(inf|nan)\b.*",
    ),
    Known(
        "cumprod's gradient is taken by products, not quotients, so that overflow stays where it is.",
        "gradients",
        among("cumprod"),
        r".*\b(inf|nan)\b.*",
    ),
    Known("nanmean of nothing but NaN passes no gradient on; PyTorch passes NaN.", "gradients", among("nanmean"), r".* / nan.*"),
    Known(
        "A quotient by infinity has the second derivative 0; PyTorch multiplies 0 by infinity.",
        "gradients",
        among("addcdiv"),
        r".* / nan.*",
    ),
    Known(
        "In half types PyTorch's second derivative overflows on the way.",
        "gradients",
        message=r"\w+ (float16|bfloat16): .* / (nan|-?inf) \(finite again\)",
    ),
    Known(
        "What comparisons write in place is a constant; PyTorch leaves a history that gives 0, or NaN by 0 times infinity.",
        "gradients",
        r"(.* )?(eq|ne|lt|le|gt|ge|logical_and|logical_or|logical_xor|logical_not)_( .*)?",
    ),
    Known(
        "The extremes of numbers with NaN are that NaN, and only the NaN gets the gradient.",
        "gradients",
        among("aminmax"),
        r".* / nan.*",
    ),
    Known(
        "0 to a power of 0 or more has no slope in the exponent; PyTorch's second derivative there is 0 times infinity.",
        "gradients",
        among("pow", "float_power"),
        r".* / nan.*",
    ),
    Known("gelu of infinity is infinity.", "values", "gelu", r".*inf / nan"),
    Known("Where the variance overflows the result is 0; PyTorch's is NaN.", "values", r"\w+_norm", r".* 0.0 / nan"),
    Known(
        "hardsigmoid's slope is a sixth in float64; PyTorch's is rounded to float32.",
        "gradients",
        among("hardsigmoid"),
        r".*float64.*",
    ),
    Known("The sign of a NaN is nobody's promise.", "values", "copysign_?|signbit"),
    Known("The loss does not overflow where its exponential does.", "values", "soft_margin_loss", r".* / inf.*"),
)

LAYOUT = (
    Known(
        "Only views return views; PyTorch's composites return views of their temporaries.",
        "is-view",
        "matmul|einsum|inner|tensordot|repeat_interleave|kron|cdist|conv.*|diff",
        "False / True",
    ),
    Known("Integers do not require grad, whatever is written into them.", "requires-grad", message=r"(u?int\d+|bool): .*"),
    Known("Copies of views with gaps have none.", "strides", "diagonal_scatter|select_scatter|slice_scatter"),
    Known("Indexing by tensors gives contiguous results.", "strides", "index"),
    Known("Of numbers that are equally frequent mode gives the least, and its last place; NaN equals nothing.", "values", "mode"),
    Known(
        "Channels-last is determined by the dimensions with more than one element.", "strides", ".?stack|cat|column_stack|roll"
    ),
    Known("A number to the power of a tensor is laid out as the tensor.", "strides", "pow|ldexp"),
    Known("What comparisons write in place is a constant.", "requires-grad", r"logical_\w+_|(eq|ne|lt|le|gt|ge)_"),
    Known(
        "Results keep the order of dimensions.", "strides", r"angle|rms_norm|logsigmoid|binary_cross_entropy_with_logits|.*out="
    ),
    Known("Images of one channel are channels-last and not at once; which layout a stack passes on differs.", "strides", "train"),
    Known("Conjugation is carried out at once.", "is-view|memory|strides", "conj"),
)

CRASHES = (Known("PyTorch crashes; this library runs.", "crash", message="runs / .*"),)

KNOWN = (*CRASHES, *(Known(k.reason, "error", k.op, k.message) for k in ERRORS), *NUMBERS, *LAYOUT)


def reason(difference):
    return next((k.reason for k in KNOWN if k.explains(difference)), None)
