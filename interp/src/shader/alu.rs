//! The opcodes that compute, in opcode order (pica-shader.md 2.2 and 3.5). One function each; the inverted
//! forms differ in encoding only and share the function.
//!
//! Operands arrive swizzled and negated. Lanes that the destination mask disables are computed as well and
//! dropped by the write.

use std::array::from_fn;

use super::rules::{Rules, ex2_recipe, lg2_recipe};
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
    broadcast(R::unary(ex2_recipe, a[0]))
}

/// `LG2`: the logarithm to base 2 of `a.x`.
pub(super) fn lg2<R: Rules>(a: Vec4) -> Vec4 {
    broadcast(R::unary(lg2_recipe, a[0]))
}

/// `LITP`: `d = (max(a.x, 0), clamp(a.y), 0, max(a.w, 0))`, all copies. A NaN in y becomes the lower limit
/// (assumed).
pub(super) fn litp(a: Vec4) -> Vec4 {
    [larger(a[0], 0.0), smaller(larger(a[1], -LITP_LIMIT), LITP_LIMIT), 0.0, larger(a[3], 0.0)]
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
