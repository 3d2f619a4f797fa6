"""Prints the coefficients of special functions as C++: python -m tools.fit bessel > .../bessel_coefficients.h, then clang-format

Every function is smooth over each of its intervals, after a factor that the kernel multiplies with. It is interpolated at
Chebyshev points in 60 digits, and the polynomial is written in u from -1 to 1, lowest power first, with as few terms as
keep the relative error below 1e-17.
"""

import sys

import mpmath as mp

from tools.fit import exponential, logarithm, normal_tail, tanh, trigonometry, upper_gamma

mp.mp.dps = 60
TOLERANCE = mp.mpf("1.5e-17")


def chebyshev_to_powers(c):
    """The coefficients of sum c[k] T_k(u) as powers of u."""
    powers, before, now = [mp.mpf(0)] * len(c), [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    for value in c:
        for i, t in enumerate(before):
            powers[i] += value * t
        following = [mp.mpf(0)] + [2 * t for t in now]
        for i, t in enumerate(before):
            following[i] -= t
        before, now = now, following
    return powers


def fit(f, low, high, scale=None, tolerance=TOLERANCE):
    """Coefficients in u, where x = middle + half * u. `scale`: what errors are relative to; None: f itself."""
    low, high = mp.mpf(low), mp.mpf(high)
    middle, half = (low + high) / 2, (high - low) / 2
    n = 48
    points = [mp.cos(mp.pi * (j + mp.mpf(1) / 2) / n) for j in range(n)]
    values = [f(middle + half * u) for u in points]
    c = [2 * sum(v * mp.cos(k * mp.pi * (j + mp.mpf(1) / 2) / n) for j, v in enumerate(values)) / n for k in range(n)]
    c[0] /= 2
    smallest = min(abs(v) for v in values) if scale is None else mp.mpf(scale)
    terms = n
    while terms > 1 and sum(abs(v) for v in c[terms - 1 :]) < tolerance * smallest:
        terms -= 1
    if terms > n - 4:
        raise SystemExit(f"no convergence on [{low}, {high}]: {mp.nstr(c[-1] / smallest, 3)}")
    return chebyshev_to_powers(c[:terms])


def pieces(f, ends, scale=None, tolerance=TOLERANCE):
    """Pieces between neighbouring ends, as elements of an array of Piece."""
    lines = []
    for low, high in zip(ends, ends[1:]):
        powers = fit(f, low, high, scale, mp.mpf(tolerance))
        numbers = ", ".join(float(p).hex() if p else "0" for p in powers)
        middle, half = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
        lines.append(f"    {{{mp.nstr(middle, 17)}, {mp.nstr(1 / half, 17)}, {len(powers)}, {{{numbers}}}}},")
    return lines


def array(name, comment, lines):
    return "\n".join([f"// {comment}", f"AT_TABLE Piece {name}[] = {{", *lines, "};", ""])


def table(name, comment, f, ends, scale=None):
    return array(name, comment, pieces(f, ends, scale))


def over(f):
    """f of 8 / t, for t from 0 to 1: all x from 8 on."""
    return lambda t: f(8 / t) if t else mp.mpf(0)


def scaled_i(order):
    return lambda x: mp.besseli(order, x) * mp.exp(-x)


def scaled_k(order):
    return lambda x: mp.besselk(order, x) * mp.exp(x)


def times_root(f):
    return lambda x: f(x) * mp.sqrt(x)


def k0_rest(y):
    x = mp.sqrt(y)
    return mp.besselk(0, x) + (mp.log(x / 2) + mp.euler) * mp.besseli(0, x)


def k1_rest(y):
    """(1 / x + log(x c) I1(x) - K1(x)) / x"""
    x = mp.sqrt(y)
    return (1 / x + (mp.log(x / 2) + mp.euler) * mp.besseli(1, x) - mp.besselk(1, x)) / x


def airy_factor(x):
    return mp.airyai(x) * mp.exp(2 * x * mp.sqrt(x) / 3) * mp.sqrt(mp.sqrt(x))


def airy_phase(part):
    """The factors of cos and sin of zeta - pi/4 in Ai(-x), as functions of 1 / zeta^2 (DLMF 9.7.9)."""

    def u(k):
        return mp.gamma(3 * k + mp.mpf(1) / 2) / (54**k * mp.factorial(k) * mp.gamma(k + mp.mpf(1) / 2))

    def value(w):
        terms = [(-1) ** k * u(2 * k + part) * w**k for k in range(13)]
        return sum(terms)

    return value


def y0_rest(y):
    x = mp.sqrt(y)
    return mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x)


def y1_rest(y):
    x = mp.sqrt(y)
    return (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x


def hankel(order, part):
    """P, and Q times x, of Hankel's expansion (DLMF 10.18): the wave of J and Y after the leading one is divided off."""

    def value(x):
        angle, size = x - (2 * order + 1) * mp.pi / 4, mp.sqrt(mp.pi * x / 2)
        j, y, c, s = mp.besselj(order, x), mp.bessely(order, x), mp.cos(angle), mp.sin(angle)
        return size * (j * c + y * s) if part == "P" else size * (y * c - j * s) * x

    return value


def modulus_and_phase(order):
    """Of v = 1 / x: the height of J and Y times sqrt(x), and the phase beyond x - (2 order + 1) pi / 4, times x (DLMF 10.18)."""

    def wave(x):
        angle = x - (2 * order + 1) * mp.pi / 4
        j, y, c, s = mp.besselj(order, x), mp.bessely(order, x), mp.cos(angle), mp.sin(angle)
        return j * c + y * s, y * c - j * s

    def modulus(v):
        return mp.hypot(*wave(1 / v)) / mp.sqrt(v)

    def phase(v):
        p, q = wave(1 / v)
        return mp.atan2(q, p) / v

    return modulus, phase


def phases():
    """The waves of vectors: one formula from 2 on, in 1 / x, and one below, in x^2."""
    ends = [mp.mpf("1e-10"), *(mp.mpf(k) / 16 for k in range(1, 9))]
    for order in (0, 1):
        modulus, phase = modulus_and_phase(order)
        print(table(f"kModulus{order}", f"the height of J{order} and Y{order}, times sqrt(x), in 1 / x", modulus, ends))
        print(table(f"kPhase{order}", f"their phase beyond x - {2 * order + 1} pi / 4, times x, in 1 / x", phase, ends, scale=4))
    print(table("kJ0Below2", "J0(x), in x^2", lambda y: mp.besselj(0, mp.sqrt(y)), (0, 4)))
    print(table("kJ1Below2", "J1(x) / x, in x^2", lambda y: mp.besselj(1, mp.sqrt(y)) / mp.sqrt(y), (mp.mpf("1e-14"), 4)))
    print(table("kSine", "sin(x) / x, in x^2", lambda y: mp.sin(mp.sqrt(y)) / mp.sqrt(y), (mp.mpf("1e-14"), 2.56)))


def digammas():
    """What is beyond log(x) - 1 / 2x in digamma(x), and beyond 1 / x + 1 / 2x^2 in its derivative, for x >= 6, in 1 / x^2."""
    ends = (mp.mpf("1e-12"), mp.mpf(1) / 36)

    def first(v):
        x = 1 / mp.sqrt(v)
        return (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) / v

    def second(v):
        x = 1 / mp.sqrt(v)
        return (mp.polygamma(1, x) - 1 / x - v / 2) * x**3

    print(table("kDigammaRest", "x^2 (log(x) - 1 / 2x - digamma(x)), in 1 / x^2", first, ends, scale=40))
    print(table("kTrigammaRest", "x^3 (trigamma(x) - 1 / x - 1 / 2x^2), in 1 / x^2", second, ends, scale=6))


def log_gamma():
    ends = (0.7, 0.97, 1.34, 1.86, 2.58, 3.57, 4.94, 6.85, 9.5)
    print(table("kLogGammaRest", "log(Gamma(x)) / ((x - 1) (x - 2))", lambda x: mp.loggamma(x) / ((x - 1) * (x - 2)), ends))

    def stirling(v):
        x = 1 / mp.sqrt(v)
        return (mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2) * x

    ends = (mp.mpf("1e-12"), 1 / mp.mpf(9.5) ** 2)
    print(table("kStirlingRest", "x times the rest of Stirling's formula for x >= 9.5, in 1 / x^2", stirling, ends, scale=1))


def erf():
    def ratio(z):
        return mp.erf(mp.sqrt(z)) / mp.sqrt(z)

    near = pieces(lambda z: ratio(z) - 1, (mp.mpf("1e-12"), 1), scale=1)
    far = pieces(mp.erf, [1 + mp.mpf(k) * 5 / 11 for k in range(12)])
    print(array("kErf", "erf(x) / x - 1 up to 1, in x^2; then erf(x) over eleven pieces up to 6", [*near, *far]))
    near = pieces(lambda z: ratio(z) - 1, (mp.mpf("1e-12"), 1), scale=1, tolerance="1e-9")
    far = pieces(mp.erf, [1 + mp.mpf(k) * 3 / 7 for k in range(8)], tolerance="1e-9")
    print(array("kErfFloat", "the same for floats, over seven pieces up to 4", [*near, *far]))
    powers = fit(ratio, mp.mpf("1e-12"), 12.25, tolerance=1e-6)
    numbers = ", ".join(f"{float(p):.9e}f" for p in reversed(powers))
    print("// erf(x) / x in 2 x^2 / 12.25 - 1, from the highest power on, with errors of 1e-6.")
    print(f"AT_TABLE float kErfForHalf[] = {{{numbers}}};")


def waves():
    steps, large = (0, 1, 2, 3, 4, 5, 6, 7, 8), (mp.mpf("1e-6"), 0.25, 0.5, 1)
    print(table("kJ0", "J0(x)", lambda x: mp.besselj(0, x), steps, scale=0.3))
    print(table("kJ1Small", "J1(x) / x", lambda x: mp.besselj(1, x) / x, (mp.mpf("1e-12"), 1)))
    print(table("kJ1", "J1(x)", lambda x: mp.besselj(1, x), steps[1:], scale=0.3))
    print(table("kY0Small", "Y0(x) - 2 / pi log(x) J0(x), in x^2", y0_rest, (mp.mpf("1e-14"), 4), scale=0.3))
    print(table("kY0", "Y0(x)", lambda x: mp.bessely(0, x), steps[2:], scale=0.3))
    print(table("kY1Small", "(Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x, in x^2", y1_rest, (mp.mpf("1e-14"), 4), scale=0.1))
    print(table("kY1", "Y1(x)", lambda x: mp.bessely(1, x), steps[2:], scale=0.3))
    for order in (0, 1):
        for part in ("P", "Q"):
            comment = f"Hankel's {part}" + (" times x" if part == "Q" else "") + f" of order {order}, in 8 / x"
            print(table(f"k{part}{order}", comment, over(hankel(order, part)), large, scale=1 if part == "P" else 0.1))


def scaled_i_of_floats(order):
    """The near and the far pieces of I as one table for vectors of floats."""
    near, far = scaled_i(order), over(times_root(scaled_i(order)))
    ends = [mp.mpf("1e-12"), *(mp.mpf(8) * k / 5 for k in range(1, 6))]
    lines = pieces(lambda x: near(x) / x**order, ends, tolerance="1e-9")
    lines += pieces(far, [mp.mpf("1e-9"), 0.25, 0.5, 1], tolerance="1e-9")
    name = f"exp(-x) I{order}(x)"
    comment = f"{name}{' / x' if order else ''} up to 8; then {name} sqrt(x), in 8 / x; with errors of 1e-9"
    return array(f"kI{order}eFloat", comment, lines)


def bessel_floats():
    print(scaled_i_of_floats(0))
    print(scaled_i_of_floats(1))


def bessel():
    print(table("kI0e", "exp(-x) I0(x)", scaled_i(0), range(9)))
    print(table("kI0eLarge", "exp(-x) I0(x) sqrt(x), in 8 / x", over(times_root(scaled_i(0))), (mp.mpf("1e-9"), 0.25, 0.5, 1)))
    print(table("kI1e", "exp(-x) I1(x) / x", lambda x: scaled_i(1)(x) / x, (mp.mpf("1e-12"), *range(1, 9))))
    print(table("kI1eLarge", "exp(-x) I1(x) sqrt(x), in 8 / x", over(times_root(scaled_i(1))), (mp.mpf("1e-9"), 0.25, 0.5, 1)))
    print(table("kK0Small", "K0(x) + (log(x / 2) + gamma) I0(x), in x^2", k0_rest, (mp.mpf("1e-14"), 1), scale=0.25))
    print(table("kK0e", "exp(x) K0(x) sqrt(x)", times_root(scaled_k(0)), (1, 1.5, 2, 4, 8)))
    print(table("kK0eLarge", "the same, in 8 / x", over(times_root(scaled_k(0))), (mp.mpf("1e-9"), 0.25, 0.5, 1)))
    print(table("kK1Small", "(1 / x + (log(x / 2) + gamma) I1(x) - K1(x)) / x, in x^2", k1_rest, (mp.mpf("1e-14"), 1)))
    print(table("kK1e", "exp(x) K1(x) sqrt(x)", times_root(scaled_k(1)), (1, 1.5, 2, 4, 8)))
    print(table("kK1eLarge", "the same, in 8 / x", over(times_root(scaled_k(1))), (mp.mpf("1e-9"), 0.25, 0.5, 1)))
    print(table("kAiryMiddle", "Ai(x)", mp.airyai, (-9, -8, -7, -6, -5, -4, -3, -2, -1, 0), scale=0.3))
    print(table("kAirySmall", "Ai(x)", mp.airyai, (0, 0.5, 1, 1.5, 2)))
    ends = (0.019, 0.06, 0.125, 0.25, 0.5, 1)
    print(table("kAiryLarge", "Ai(x) exp(zeta) x^(1/4), in 2 / x", lambda t: airy_factor(2 / t), ends))
    print(table("kAiryCosine", "the factor of the cosine in Ai(-x) for x > 9, in 1 / zeta^2", airy_phase(0), (0, 0.0031)))
    print(table("kAirySine", "the factor of the sine, times zeta", airy_phase(1), (0, 0.0031)))


def normal_quantile(p):
    """The number below which a normal variable is with probability p < 1/2."""
    t = mp.sqrt(-2 * mp.log(p))
    start = -(t - (mp.log(2 * mp.pi) + mp.log(t * t + 1)) / (2 * t)) if p < 0.05 else (p - 0.5) * 2.6
    return mp.findroot(lambda x: mp.log(mp.erfc(-x / mp.sqrt(2)) / 2) - mp.log(p), start)


def quantile_over_distance(y):
    """ndtri(1/2 - q) / q, in y = q^2."""
    q = mp.sqrt(y)
    return normal_quantile(mp.mpf(1) / 2 - q) / q


def error():
    ends = (mp.mpf("1e-20"), 0.0625, 0.125, 0.1849)
    print(table("kQuantileMiddle", "ndtri(1/2 - q) / q, in q^2", quantile_over_distance, ends))
    ends = (2.2, 3, 4, 6, 9, 14, 22, 30, 38.61)
    print(table("kQuantileTail", "ndtri(exp(-t^2 / 2))", lambda t: normal_quantile(mp.exp(-t * t / 2)), ends))

    def erfcx(x):
        return mp.erfc(x) * mp.exp(x * x)

    print(table("kErfcx", "exp(x^2) erfc(x)", erfcx, (0, 0.5, 1, 1.5, 2, 3, 4, 6, 8)))

    def large(w):
        return mp.sqrt(64 / w) * erfcx(mp.sqrt(64 / w))

    print(table("kErfcxLarge", "x exp(x^2) erfc(x), in 64 / x^2", large, (mp.mpf("1e-3"), 1)))


def product(a, b, n):
    found = [mp.mpf(0)] * n
    for i, x in enumerate(a[:n]):
        for j, y in enumerate(b[: n - i]):
            found[i + j] += x * y
    return found


def reciprocal(a, n):
    found = [1 / a[0]]
    for k in range(1, n):
        found.append(-sum(a[j] * found[k - j] for j in range(1, min(k, len(a) - 1) + 1)) / a[0])
    return found


def temme(rows, n):
    """The series in eta of the coefficients C_k of the incomplete gamma functions for large a (DLMF 8.12.9 to 8.12.11)."""
    size = n + 2 * rows + 4
    # mu(eta) from mu' = eta (1 + mu) / mu, as eta * m(eta): eta^2 / 2 = mu - log(1 + mu)
    mu = [mp.mpf(0), mp.mpf(1)]
    for k in range(2, size + 2):
        # The coefficient of eta^k in mu mu' = eta + eta mu.
        known = sum(j * mu[j] * mu[k + 1 - j] for j in range(2, k) if 1 <= k + 1 - j < len(mu))
        mu.append((mu[k - 1] - known) / (k + 1))
    over_mu = reciprocal(mu[1:], size)  # eta / mu
    # The coefficients of 1 / Gamma*(a): exp of minus Stirling's series.
    stirling = [mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, rows + 2)]
    exponent = [mp.mpf(0)] * (rows + 1)
    for k, value in enumerate(stirling):
        if 2 * k + 1 <= rows:
            exponent[2 * k + 1] = value
    gammas = [mp.mpf(1)]
    for k in range(1, rows + 1):
        gammas.append(sum(j * exponent[j] * gammas[k - j] for j in range(1, k + 1)) / k)
    c = [over_mu[k + 1] for k in range(size - 1)]  # C_0 = 1 / mu - 1 / eta
    found = [c[:n]]
    for k in range(1, rows):
        # C_k = (C_{k-1}' / eta) + (-1)^k g_k / mu, where the poles cancel.
        sign = (-1) ** k * gammas[k]
        derivative = [(j + 1) * c[j + 1] for j in range(len(c) - 1)]
        pole = derivative[0] + sign * over_mu[0]
        assert abs(pole) < mp.mpf("1e-40"), pole
        c = [derivative[j + 1] + sign * over_mu[j + 1] for j in range(len(derivative) - 1)]
        found.append(c[:n])
    return found


def gamma():
    print(table("kReciprocalGamma", "1 / Gamma(1 + r)", lambda r: 1 / mp.gamma(1 + r), (0, 0.5, 1)))
    print("// The coefficients C_k of Temme's expansion (DLMF 8.12.7), as powers of eta from the lowest on.")
    rows = temme(7, 24)
    print(f"AT_TABLE double kTemme[{len(rows)}][{len(rows[0])}] = {{")
    for row in rows:
        print("    {" + ", ".join(float(v).hex() for v in row) + "},")
    print("};\n")
    print("// log(Gamma(1 + a)) / a as powers of a: minus Euler's constant, then (-1)^k zeta(k) / k.")
    values = [-mp.euler] + [(-1) ** k * mp.zeta(k) / k for k in range(2, 32)]
    print("AT_TABLE WideTerm kLogGamma1p[] = {" + ", ".join(mp.nstr(v, 24) + "L" for v in values) + "};")


def upper():
    upper_gamma.upper(chebyshev_to_powers)
    upper_gamma.reciprocal(fit)
    ends = (mp.mpf("1e-12"), 0.25, 0.5, 0.75, 1)
    print(table("kLogGammaRatio", "log(Gamma(1 + a)) / a", lambda a: mp.loggamma(1 + a) / a, ends, scale=0.3))


if __name__ == "__main__":
    print("// No #pragma once: each capability has its own. Written by: python -m tools.fit " + sys.argv[1])
    print()
    {
        "bessel": bessel,
        "error": error,
        "gamma": gamma,
        "waves": waves,
        "phases": phases,
        "digammas": digammas,
        "upper": upper,
        "log_gamma": log_gamma,
        "bessel_floats": bessel_floats,
        "erf": erf,
        "normal_tail": normal_tail.normal_tail,
        "scaled_normal_tail": normal_tail.scaled_normal_tail,
        "tanh": tanh.tanh,
        "exponential": exponential.exponential,
        "logarithm": logarithm.logarithm,
        "double_logarithm": logarithm.double_logarithm,
        "trigonometry": trigonometry.trigonometry,
        "arc_functions": trigonometry.arc_functions,
    }[sys.argv[1]]()
