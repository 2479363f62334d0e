//! The opcodes that compute, in opcode order (pica-shader.md 2.2 and 3.5). One function each; the inverted
//! forms differ in encoding only and share the function.
//!
//! Operands arrive swizzled and negated. Lanes that the destination mask disables are computed as well and
//! dropped by the write.

use std::array::from_fn;

use super::rules::Rules;
use picaflor_pipeline::pica::float;
use picaflor_pipeline::pica::shader::ops::Compare;
use picaflor_pipeline::pica::shader::unit::Vec4;

/// The y limit of `LITP`, 127.99609375 (a console test, by way of Panda3DS).
const LITP_LIMIT: f32 = 0x7fff as f32 / 256.0;

/// `ADD`: `d[i] = a[i] + b[i]`.
pub(super) fn add<R: Rules>(a: Vec4, b: Vec4) -> Vec4 {
    from_fn(|i| R::add(a[i], b[i]))
}

/// `DP3`: `d = a.x × b.x + a.y × b.y + a.z × b.z`.
pub(super) fn dp3<R: Rules>(a: Vec4, b: Vec4) -> Vec4 {
    dot::<R>(&a[..3], &b[..3])
}

/// `DP4`: `d = a · b`.
pub(super) fn dp4<R: Rules>(a: Vec4, b: Vec4) -> Vec4 {
    dot::<R>(&a, &b)
}

/// `DPH`, `DPHI`: `d = (a.x, a.y, a.z, 1) · b`. The 1 comes after negation, and its product follows the
/// multiply rule like any other.
pub(super) fn dph<R: Rules>(a: Vec4, b: Vec4) -> Vec4 {
    dot::<R>(&[a[0], a[1], a[2], 1.0], &b)
}

/// `((x + y) + z) + w`, in every component. The order is assumed; operands whose sum depends on it, shown on
/// a console, would settle it.
fn dot<R: Rules>(a: &[f32], b: &[f32]) -> Vec4 {
    let products = a.iter().zip(b).map(|(&a, &b)| R::mul(a, b));
    broadcast(products.reduce(R::add).unwrap_or(0.0))
}

/// `DST`, `DSTI`: `d = (1, a.y × b.y, a.z, b.w)`. That `DSTI` does not swap its sources is assumed.
pub(super) fn dst<R: Rules>(a: Vec4, b: Vec4) -> Vec4 {
    [1.0, R::mul(a[1], b[1]), a[2], b[3]]
}

/// `EX2`: 2 to the power `a.x`.
pub(super) fn ex2<R: Rules>(a: Vec4) -> Vec4 {
    broadcast(R::unary(float::ex2, a[0]))
}

/// `LG2`: the logarithm to base 2 of `a.x`.
pub(super) fn lg2<R: Rules>(a: Vec4) -> Vec4 {
    broadcast(R::unary(float::lg2, a[0]))
}

/// `LITP`: `d = (max(a.x, 0), clamp(a.y), 0, max(a.w, 0))`, all copies. A NaN in y becomes the lower limit
/// (assumed).
pub(super) fn litp(a: Vec4) -> Vec4 {
    [litp_positive(a[0]), litp_clamp(a[1]), 0.0, litp_positive(a[3])]
}

/// `max(a, 0)`; 0 for NaN. With bits, here and below: of a comparison with a constant, optimisers make the
/// maximum instruction of AArch64, which returns signalling NaNs.
fn litp_positive(a: f32) -> f32 {
    match a.to_bits() {
        0..=0x7f80_0000 => a,
        _ => 0.0,
    }
}

fn litp_clamp(a: f32) -> f32 {
    const LIMIT: u32 = LITP_LIMIT.to_bits();
    match a.to_bits() & 0x7fff_ffff {
        ..=LIMIT => a,
        0x7f80_0001.. => -LITP_LIMIT,
        _ => LITP_LIMIT.copysign(a),
    }
}

/// The flags of `LITP`: `a.x >= 0` and `a.w >= 0`; false for NaN.
pub(super) fn litp_flags(a: Vec4) -> [bool; 2] {
    [a[0] >= 0.0, a[3] >= 0.0]
}

/// `MUL`: `d[i] = a[i] × b[i]`.
pub(super) fn mul<R: Rules>(a: Vec4, b: Vec4) -> Vec4 {
    from_fn(|i| R::mul(a[i], b[i]))
}

/// `SGE`, `SGEI`: `d[i] = a[i] >= b[i] ? 1 : 0`. Operands are not flushed (assumed, as measured for `CMP`).
/// NaN on either side gives 0, so this is not the opposite of `SLT`.
pub(super) fn sge(a: Vec4, b: Vec4) -> Vec4 {
    from_fn(|i| if a[i] >= b[i] { 1.0 } else { 0.0 })
}

/// `SLT`, `SLTI`: `d[i] = a[i] < b[i] ? 1 : 0`.
pub(super) fn slt(a: Vec4, b: Vec4) -> Vec4 {
    from_fn(|i| if a[i] < b[i] { 1.0 } else { 0.0 })
}

/// `FLR`: toward minus infinity.
pub(super) fn flr<R: Rules>(a: Vec4) -> Vec4 {
    a.map(|a| R::unary(f32::floor, a))
}

/// `MAX`: `d[i] = a[i] > b[i] ? a[i] : b[i]`, a copy of bits. Subnormal patterns pass (measured on a
/// console).
pub(super) fn max(a: Vec4, b: Vec4) -> Vec4 {
    from_fn(|i| larger(a[i], b[i]))
}

/// `MIN`: `d[i] = a[i] < b[i] ? a[i] : b[i]`, a copy of bits.
pub(super) fn min(a: Vec4, b: Vec4) -> Vec4 {
    from_fn(|i| smaller(a[i], b[i]))
}

/// The second operand wins ties and whenever one of them is NaN: `max(0, NaN) = NaN`, `max(NaN, 0) = 0`
/// (measured on a console).
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// As [`larger`]: the second operand wins ties and NaN.
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// `RCP`: one division. The precision of the console is unknown.
pub(super) fn rcp<R: Rules>(a: Vec4) -> Vec4 {
    broadcast(R::unary(|x| 1.0 / x, a[0]))
}

/// `RSQ`: a square root and a division, each rounded. The precision of the console is unknown.
pub(super) fn rsq<R: Rules>(a: Vec4) -> Vec4 {
    broadcast(R::unary(|x| 1.0 / x.sqrt(), a[0]))
}

/// `MOVA`: toward zero, into 32 bits. Beyond them it saturates and NaN is 0: any such value is "no offset".
pub(super) fn mova(a: f32) -> i32 {
    a as i32
}

/// `CMP` of one pair. Nothing is flushed (measured on a console: the largest subnormal is not equal to 0);
/// with NaN only `!=` is true.
pub(super) fn compare(test: Compare, a: f32, b: f32) -> bool {
    match test {
        Compare::Equal => a == b,
        Compare::NotEqual => a != b,
        Compare::Less => a < b,
        Compare::LessEqual => a <= b,
        Compare::Greater => a > b,
        Compare::GreaterEqual => a >= b,
        Compare::True => true,
    }
}

/// `MAD`, `MADI`: `d[i] = a[i] × b[i] + c[i]`. The product is rounded before the sum (3dbrew).
pub(super) fn mad<R: Rules>(a: Vec4, b: Vec4, c: Vec4) -> Vec4 {
    from_fn(|i| R::add(R::mul(a[i], b[i]), c[i]))
}

/// A scalar result goes to every component.
fn broadcast(value: f32) -> Vec4 {
    [value; 4]
}

/// The special values of pica-shader.md 3.3, 3.5 and 11.7.
#[cfg(test)]
mod tests {
    use super::super::rules::{Binary32, Console};
    use super::*;

    const INF: f32 = f32::INFINITY;
    const NAN: f32 = f32::from_bits(0x7fc0_0000);
    /// The smallest positive normal of 24 bits.
    const NORMAL: f32 = f32::from_bits(0x2080_0000);
    /// The largest subnormal pattern of 24 bits.
    const SUBNORMAL: f32 = f32::from_bits(0x207f_ff00);

    /// Asserts equal bits: NAN is the canonical one.
    #[track_caller]
    fn same(actual: f32, expected: f32) {
        let [actual, expected] = [actual, expected].map(f32::to_bits);
        assert_eq!(actual, expected, "{actual:08x} instead of {expected:08x}");
    }

    fn all(x: f32) -> Vec4 {
        [x; 4]
    }

    fn f24(raw: u32) -> f32 {
        picaflor_pipeline::pica::float::f24(raw)
    }

    /// The rows that hold in both precisions.
    fn common<R: Rules>() {
        let mul = |a, b| mul::<R>(all(a), all(b))[2];
        let rcp = |x| rcp::<R>(all(x))[3];
        let rsq = |x| rsq::<R>(all(x))[1];
        same(mul(INF, 0.0), 0.0);
        same(mul(0.0, INF), 0.0);
        same(mul(-INF, 0.0), 0.0);
        same(mul(NAN, 0.0), NAN);
        same(mul(0.0, NAN), NAN);
        same(mul(INF, -INF), -INF);
        same(add::<R>(all(INF), all(-INF))[0], NAN);
        same(add::<R>(all(1.0), all(-1.0))[0], 0.0);
        same(mad::<R>(all(INF), all(0.0), all(1.0))[0], 1.0);
        same(mad::<R>(all(NAN), all(0.0), all(0.0))[0], NAN);
        same(dp4::<R>([INF, 1.0, 0.0, 1.0], [0.0, 1.0, INF, 1.0])[3], 2.0);
        same(dp3::<R>([INF, INF, 0.0, NAN], [0.0, 0.0, INF, NAN])[0], 0.0);
        same(dph::<R>([INF, INF, INF, NAN], [0.0, 0.0, 0.0, 1.0])[0], 1.0);
        same(dph::<R>(all(0.0), [0.0, 0.0, 0.0, NAN])[0], NAN);
        same(rcp(0.0), INF);
        same(rcp(INF), 0.0);
        same(rcp(NAN), NAN);
        same(rsq(0.0), INF);
        same(rsq(1.0), 1.0);
        same(rsq(-1.0), NAN);
        same(rsq(-2.0), NAN);
        same(rsq(INF), 0.0);
        same(rsq(-INF), NAN);
        same(rsq(NAN), NAN);
        same(ex2::<R>(all(-INF))[0], 0.0);
        same(ex2::<R>(all(INF))[0], INF);
        same(ex2::<R>(all(NAN))[0], NAN);
        same(ex2::<R>([6.0, NAN, NAN, NAN])[3], 64.0);
        same(lg2::<R>(all(0.0))[0], -INF);
        same(lg2::<R>(all(-1.0))[0], NAN);
        same(lg2::<R>(all(INF))[0], INF);
        same(lg2::<R>(all(rcp(-INF)))[0], -INF);
        same(lg2::<R>([64.0, 1.0, 1.0, 1.0])[3], 6.0);
        same(mul(flr::<R>(all(-0.1))[0], -1.0), 1.0);
        same(flr::<R>(all(1.5))[0], 1.0);
        same(flr::<R>(all(-INF))[0], -INF);
        same(flr::<R>(all(NAN))[0], NAN);
        same(dst::<R>([NAN, INF, 3.0, NAN], [NAN, 0.0, NAN, 4.0])[1], 0.0);
        assert_eq!(dst::<R>([NAN, 2.0, 3.0, NAN], [NAN, 5.0, NAN, 4.0]), [1.0, 10.0, 3.0, 4.0]);
    }

    #[test]
    fn special_values() {
        common::<Console>();
        common::<Binary32>();
    }

    #[test]
    fn zeros_and_subnormals_by_precision() {
        let console = [
            rcp::<Console>(all(-0.0))[0],
            rsq::<Console>(all(-0.0))[0],
            rsq::<Console>(rcp::<Console>(all(-INF)))[0],
            mul::<Console>(all(SUBNORMAL), all(2.0))[0],
            mul::<Console>(all(NORMAL), all(0.5))[0],
            add::<Console>(all(-0.0), all(-0.0))[0],
            flr::<Console>(all(-0.0))[0],
            rcp::<Console>(all(-INF))[0],
            add::<Console>(all(NORMAL), all(SUBNORMAL))[0],
        ];
        let binary32 = [
            rcp::<Binary32>(all(-0.0))[0],
            rsq::<Binary32>(all(-0.0))[0],
            rsq::<Binary32>(rcp::<Binary32>(all(-INF)))[0],
            mul::<Binary32>(all(SUBNORMAL), all(2.0))[0],
            mul::<Binary32>(all(NORMAL), all(0.5))[0],
            add::<Binary32>(all(-0.0), all(-0.0))[0],
            flr::<Binary32>(all(-0.0))[0],
            rcp::<Binary32>(all(-INF))[0],
            add::<Binary32>(all(NORMAL), all(SUBNORMAL))[0],
        ];
        let expected = [INF, INF, INF, 0.0, 0.0, 0.0, 0.0, 0.0, NORMAL];
        console.into_iter().zip(expected).for_each(|(a, b)| same(a, b));
        let expected =
            [-INF, -INF, -INF, SUBNORMAL * 2.0, NORMAL / 2.0, -0.0, -0.0, -0.0, NORMAL + SUBNORMAL];
        binary32.into_iter().zip(expected).for_each(|(a, b)| same(a, b));
    }

    #[test]
    fn one_halved_is_zero_at_step_63() {
        let halvings = |precise: fn(Vec4, Vec4) -> Vec4| {
            let mut x = all(1.0);
            (1..=200).find(|_| {
                x = precise(x, all(0.5));
                x[0] == 0.0
            })
        };
        assert_eq!(halvings(mul::<Console>), Some(63));
        assert_eq!(halvings(mul::<Binary32>), Some(150));
    }

    #[test]
    fn max_and_min_let_the_second_operand_win() {
        let (max, min) = (|a, b| max(all(a), all(b))[0], |a, b| min(all(a), all(b))[0]);
        same(max(0.0, INF), INF);
        same(max(0.0, -INF), 0.0);
        assert!(max(0.0, NAN).is_nan());
        same(max(NAN, 0.0), 0.0);
        same(max(-INF, INF), INF);
        same(max(0.0, -0.0), -0.0);
        same(max(SUBNORMAL, 0.0), SUBNORMAL);
        same(min(0.0, INF), 0.0);
        same(min(0.0, -INF), -INF);
        assert!(min(0.0, NAN).is_nan());
        same(min(NAN, 0.0), 0.0);
        same(min(-INF, INF), -INF);
        same(min(-0.0, 0.0), 0.0);
        let payload = f32::from_bits(0xff80_1234);
        assert_eq!([max(0.0, payload), min(0.0, payload)].map(f32::to_bits), [0xff80_1234; 2]);
    }

    #[test]
    fn sge_slt_with_nan_are_both_zero() {
        for (a, b) in [(0.0, NAN), (NAN, 0.0), (NAN, NAN)] {
            assert_eq!((sge(all(a), all(b)), slt(all(a), all(b))), (all(0.0), all(0.0)));
        }
        assert_eq!(sge([1.0, 0.0, INF, SUBNORMAL], [1.0, 1.0, -INF, 0.0]), [1.0, 0.0, 1.0, 1.0]);
        assert_eq!(slt([1.0, 0.0, -INF, 0.0], [1.0, 1.0, INF, SUBNORMAL]), [0.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn compare_with_nan_and_subnormals() {
        use Compare::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, True};
        let tests = [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, True];
        let row = |a, b| tests.map(|test| compare(test, a, b));
        assert_eq!(row(1.0, 1.0), [true, false, false, true, false, true, true]);
        assert_eq!(row(1.0, 2.0), [false, true, true, true, false, false, true]);
        assert_eq!(row(2.0, 1.0), [false, true, false, false, true, true, true]);
        assert_eq!(row(NAN, 1.0), [false, true, false, false, false, false, true]);
        assert_eq!(row(1.0, NAN), row(NAN, NAN));
        assert!(compare(Equal, -0.0, 0.0) && !compare(Equal, SUBNORMAL, 0.0));
    }

    #[test]
    fn litp_clamps_and_flags() {
        assert_eq!(litp([-1.0, 200.0, 9.0, 2.0]), [0.0, 127.996_09, 0.0, 2.0]);
        assert_eq!(litp([3.0, -200.0, 9.0, -2.0]), [3.0, -127.996_09, 0.0, 0.0]);
        assert_eq!(litp([NAN, NAN, NAN, NAN]), [0.0, -127.996_09, 0.0, 0.0]);
        let signalling = [0x7f80_0100, 0xff89_1a00].map(f32::from_bits);
        for nan in std::hint::black_box(signalling) {
            assert_eq!(litp([nan; 4]), [0.0, -127.996_09, 0.0, 0.0]);
        }
        let infinite = [f32::INFINITY, f32::NEG_INFINITY, 0.0, f32::NEG_INFINITY];
        assert_eq!(litp(infinite), [f32::INFINITY, -127.996_09, 0.0, 0.0]);
        same(litp([-0.0, 0.0, 0.0, SUBNORMAL])[0], 0.0);
        same(litp([-0.0, 0.0, 0.0, SUBNORMAL])[3], SUBNORMAL);
        assert_eq!(LITP_LIMIT.to_bits(), 0x42ff_fe00);
        assert_eq!(litp_flags([-0.0, NAN, NAN, NAN]), [true, false]);
        assert_eq!(litp_flags([-1.0, 0.0, 0.0, 0.0]), [false, true]);
    }

    #[test]
    fn mova_truncates() {
        let cases = [(1.9, 1), (-1.9, -1), (128.0, 128), (-0.5, 0), (1e20, i32::MAX), (NAN, 0)];
        for (x, expected) in cases {
            assert_eq!(mova(x), expected);
        }
    }

    /// The two roundings of `MAD` and the order of a dot product, where they show.
    #[test]
    fn rounding_of_products_and_sums() {
        let x = f32::from_bits(0x3f80_0001);
        same(mad::<Binary32>(all(x), all(x), all(-1.0))[0], x * x - 1.0);
        let x = f24(0x3f_0001);
        same(mad::<Console>(all(x), all(x), all(-1.0))[0], f24(0x3f_0002) - 1.0);
        let big = 16_777_216.0;
        same(dp4::<Binary32>(all(1.0), [1.0, big, -big, 1.0])[0], 1.0);
        same(dp3::<Binary32>(all(1.0), [big, 1.0, -big, NAN])[0], 0.0);
    }

    /// pica-shader.md 11.7: the binary32 operation, then `T`.
    #[test]
    fn console_rounding() {
        let add = |a, b| add::<Console>(all(a), all(b))[0];
        let mul = |a, b| mul::<Console>(all(a), all(b))[0];
        let power = |n| 2.0_f32.powi(n);
        same(add(1.0, power(-16)), f24(0x3f_0001));
        same(add(1.0, power(-17)), f24(0x3f_0000));
        same(add(1.0, -power(-17)), f24(0x3e_ffff));
        same(add(1.0, -power(-24)), f24(0x3e_ffff));
        same(add(1.0, -power(-25)), f24(0x3f_0000));
        same(mul(f24(0x3f_0001), f24(0x3f_0001)), f24(0x3f_0002));
        same(mul(f24(0x3f_ffff), f24(0x3f_ffff)), f24(0x40_fffe));
        same(mul(f24(0x01_0000), 0.5), 0.0);
        same(add(f24(0x7e_ffff), f24(0x7e_ffff)), INF);
        same(mul(f24(0xfe_ffff), 2.0), -INF);
        same(add(f24(0x3b_9999), f24(0x3c_9999)), f24(0x3d_3332));
        for (x, expected) in [(3.0, 0x3d_5555), (-3.0, 0xbd_5555), (7.0, 0x3c_2492), (10.0, 0x3b_9999)] {
            same(rcp::<Console>(all(x))[0], f24(expected));
        }
        same(rsq::<Console>(all(2.0))[0], f24(0x3e_6a09));
        same(rsq::<Console>(all(3.0))[0], f24(0x3e_279a));
        same(ex2::<Console>(all(0.5))[0], f24(0x3f_6a09));
        same(lg2::<Console>(all(3.0))[0], f24(0x3f_95c0));
        same(lg2::<Console>(all(10.0))[0], f24(0x40_a934));
        same(ex2::<Console>(all(-63.0))[0], 0.0);
        same(ex2::<Console>(all(64.0))[0], INF);
    }

    #[test]
    fn arithmetic_nan_is_canonical() {
        let nan = all(f32::from_bits(0xffa5_5a5a));
        let zero = all(0.0);
        let results = |rules: [Vec4; 9]| rules.map(|r| r[0].to_bits());
        let console = results([
            add::<Console>(nan, zero),
            mul::<Console>(nan, zero),
            mad::<Console>(zero, zero, nan),
            dp4::<Console>(zero, nan),
            ex2::<Console>(nan),
            lg2::<Console>(nan),
            flr::<Console>(nan),
            rcp::<Console>(nan),
            rsq::<Console>(nan),
        ]);
        let binary32 = results([
            add::<Binary32>(nan, zero),
            mul::<Binary32>(nan, zero),
            mad::<Binary32>(zero, zero, nan),
            dp4::<Binary32>(zero, nan),
            ex2::<Binary32>(nan),
            lg2::<Binary32>(nan),
            flr::<Binary32>(nan),
            rcp::<Binary32>(nan),
            rsq::<Binary32>(nan),
        ]);
        assert_eq!((console, binary32), ([0x7fc0_0000; 9], [0x7fc0_0000; 9]));
    }

    /// Three products in every component, 4 + 10 + 18; w is left out.
    #[test]
    fn dp3_has_three_products() {
        let (a, b) = ([1.0, 2.0, 3.0, 100.0], [4.0, 5.0, 6.0, 100.0]);
        assert_eq!(dp3::<Console>(a, b), [32.0; 4]);
        assert_eq!(dp3::<Binary32>(a, b), [32.0; 4]);
    }

    /// y between the limits is copied; the limit is 0x7FFF / 256.
    #[test]
    fn litp_copies_what_is_within_its_limits() {
        for y in [0.5, -3.25, 127.0, -127.996_09, 0.0] {
            same(litp([0.0, y, 0.0, 0.0])[1], y);
        }
    }
}
