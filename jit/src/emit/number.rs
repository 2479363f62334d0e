//! Numbers of the guest and their arithmetic: `pipeline::pica::float`, rule for rule, as CLIF.
//!
//! There are four arithmetics ([`Arithmetic`]). The two *exact* ones apply every rule to every result. The
//! two *fast* ones leave out what cannot matter while nothing exceptional happens, and raise the lanes of
//! [`Numbers::flags`] where it may have: those vertices run again in the exact code. What a fast result
//! would be in a flagged lane is irrelevant, so each rule below need only hold for the lanes not flagged.
//!
//! * `Binary32`, fast: plain IEEE. It differs from the exact code only where an arithmetic result is NaN
//!   (0 × ∞ should be 0, payloads should be canonical). A NaN survives all arithmetic, so it is looked for
//!   where it could vanish or be seen: [`Numbers::observe`].
//! * `Console`, fast: a value `v` is held as `v × 2^-64`, so that the smallest 24-bit normal is the smallest
//!   normal of the host, and the host's flush-to-zero mode does the lower half of `T` for nothing. One AND
//!   truncates. The upper half of `T`, infinities and NaNs are excluded by bounds: every number carries a
//!   bound of its magnitude that starts at what is checked for uniforms and inputs, and a check is emitted
//!   where an operation could exceed the range. Sums are homogeneous in the scale; a product needs one
//!   factor without it, which a uniform provides for nothing. Flushing can leave -0 where `T` gives +0:
//!   such a number is *dirty* and is cleaned where the sign of zero can be seen.

use super::lanes::{F32s, I32s, Lanes, Mask, Scalar};
use super::layout::splat_offset;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use picaflor_pipeline::pica::float::{CANONICAL_NAN, MANTISSA_MASK, OVERFLOW, SMALLEST_NORMAL};
use picaflor_pipeline::pica::shader::ops::Compare;
use std::collections::BTreeSet;

/// How arithmetic is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Arithmetic {
    /// Binary32 without NaN handling.
    Binary32Fast,
    /// Binary32 with every rule.
    Binary32Exact,
    /// 24 bits, scaled, flush-to-zero on.
    ConsoleFast,
    /// 24 bits with every rule.
    ConsoleExact,
}

impl Arithmetic {
    pub(crate) const fn is_fast(self) -> bool {
        matches!(self, Self::Binary32Fast | Self::ConsoleFast)
    }
}

/// 2^-64, by which values are scaled.
const SCALE: f32 = f32::from_bits((127 - 64) << 23);
/// 2^64.
const UNSCALE: f32 = f32::from_bits((127 + 64) << 23);
/// 2^-32.
const HALF_SCALE: f32 = f32::from_bits((127 - 32) << 23);
/// What a checked number is bounded by. Two of them multiply to less than the range.
const CHECKED: f32 = f32::from_bits((127 + 30) << 23);
/// A bound that still leaves room before 2^64 for what rounding adds to bounds.
const ROOM: f32 = f32::from_bits((127 + 63) << 23);

/// What code reads of the tables in a call block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TableUses {
    /// Slots of the splat tables.
    pub(crate) splats: BTreeSet<u16>,
    /// Whether rows are read.
    pub(crate) rows: bool,
}

/// How a register component is held between blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As it is.
    Plain,
    /// Times 2^-64; with `ConsoleFast` only.
    Scaled,
}

/// A number: an entry in [`Numbers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Num(u32);

/// A number, or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(crate) num: Num,
    pub(crate) negate: bool,
}

/// Where a number can be had from without arithmetic.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Origin {
    /// From its forms only.
    Computed,
    /// Slot of the splat tables.
    Splat(usize),
    /// A constant.
    Constant(f32),
    /// 1.0 where the mask is set, else +0.
    Ones(Mask),
    /// Component of a row of uniforms that each lane chooses.
    Row(usize, usize),
}

/// A row of uniforms, one for each lane, transposed as far as it was asked for.
#[derive(Debug)]
struct Row {
    /// Address of row 0 plus each lane's offset, in the plain and in the scaled table.
    lanes: [[Scalar; 4]; 2],
    number: i32,
    forms: [RowForm; 2],
}

#[derive(Debug, Clone, Copy, Default)]
struct RowForm {
    lanes: Option<[F32s; 4]>,
    /// x and y of lanes 0 and 1 interleaved, of lanes 2 and 3, then z and w.
    halves: [Option<F32s>; 4],
    components: [Option<F32s>; 4],
}

#[derive(Debug, Clone)]
struct Data {
    origin: Origin,
    plain: Option<F32s>,
    scaled: Option<F32s>,
    /// `ConsoleFast`: the magnitude is at most this; infinite when nothing is known.
    bound: f32,
    /// `ConsoleFast`: -0 stands for +0.
    dirty: bool,
    /// A -0 may be here, and means it.
    negative_zero: bool,
    /// `Binary32Fast`: an arithmetic result that may be NaN.
    unseen: bool,
    /// `ConsoleExact`: came out of `T`, so flushing it changes nothing.
    flushed: bool,
    /// `ConsoleFast`: numbers whose squares are summed in this one.
    squares: Vec<Num>,
    /// `ConsoleFast`: numbers whose product with this one is at most about 1: it is 1 / √(sum of squares).
    normalises: Vec<Num>,
}

impl Data {
    const fn new(origin: Origin) -> Self {
        Self {
            origin,
            plain: None,
            scaled: None,
            bound: f32::INFINITY,
            dirty: false,
            negative_zero: true,
            unseen: false,
            flushed: false,
            squares: Vec::new(),
            normalises: Vec::new(),
        }
    }
}

/// The builder together with the numbers that exist in the current block.
pub(crate) struct Numbers<'f> {
    pub(crate) l: Lanes<'f>,
    pub(crate) arithmetic: Arithmetic,
    splats: Scalar,
    scaled_splats: Scalar,
    /// What the magnitude of uniforms and fixed attributes is known to be at most.
    uniform_bound: f32,
    /// What is read of the tables.
    pub(crate) uses: TableUses,
    data: Vec<Data>,
    rows: Vec<Row>,
    flags: Option<Mask>,
    /// A number whose NaN check waits for another to share it.
    waiting: Option<F32s>,
    /// Largest magnitude of checked inputs, as bits.
    largest_input: Option<I32s>,
    input_limit: f32,
}

impl<'f> Numbers<'f> {
    pub(crate) fn new(
        l: Lanes<'f>,
        arithmetic: Arithmetic,
        splats: Scalar,
        scaled_splats: Scalar,
        uniform_bound: f32,
        input_limit: f32,
    ) -> Self {
        Self {
            l,
            arithmetic,
            splats,
            scaled_splats,
            uniform_bound,
            uses: TableUses::default(),
            data: Vec::new(),
            rows: Vec::new(),
            flags: None,
            waiting: None,
            largest_input: None,
            input_limit,
        }
    }

    /// Forgets all numbers: another block begins.
    pub(crate) fn clear(&mut self) {
        self.data.clear();
        self.rows.clear();
    }

    fn add_data(&mut self, data: Data) -> Operand {
        self.data.push(data);
        Operand { num: Num(self.data.len() as u32 - 1), negate: false }
    }

    fn data(&self, num: Num) -> &Data {
        &self.data[num.0 as usize]
    }

    fn data_mut(&mut self, num: Num) -> &mut Data {
        &mut self.data[num.0 as usize]
    }

    /// A constant of ordinary size.
    pub(crate) fn constant(&mut self, value: f32) -> Operand {
        let negative_zero = value.to_bits() == 0x8000_0000;
        let bound = value.abs();
        let data = Data { bound, negative_zero, flushed: true, ..Data::new(Origin::Constant(value)) };
        self.add_data(data)
    }

    /// A scalar of the splat tables: a uniform component or a fixed attribute.
    pub(crate) fn splat(&mut self, slot: usize) -> Operand {
        let bound = self.uniform_bound;
        self.uses.splats.insert(slot as u16);
        self.add_data(Data { bound, ..Data::new(Origin::Splat(slot)) })
    }

    /// A row of uniforms. `lanes`: address of row 0 plus each lane's offset, in the plain and in the scaled
    /// table. The result is for [`row_component`](Self::row_component), in this block.
    pub(crate) fn row(&mut self, lanes: [[Scalar; 4]; 2], number: u8) -> usize {
        self.uses.rows = true;
        self.rows.push(Row { lanes, number: i32::from(number), forms: [RowForm::default(); 2] });
        self.rows.len() - 1
    }

    /// A component of a row of uniforms.
    pub(crate) fn row_component(&mut self, row: usize, component: usize) -> Operand {
        let bound = self.uniform_bound;
        self.add_data(Data { bound, ..Data::new(Origin::Row(row, component)) })
    }

    fn row_form(&mut self, row: usize, component: usize, scaled: bool) -> F32s {
        let form = self.rows[row].forms[usize::from(scaled)];
        if let Some(value) = form.components[component] {
            return value;
        }
        let lanes = form.lanes.unwrap_or_else(|| {
            let offset = self.rows[row].number * 16;
            self.rows[row].lanes[usize::from(scaled)].map(|at| self.l.load_floats(at, offset))
        });
        let first = component / 2 * 2;
        let order = if first == 0 { [0, 4, 1, 5] } else { [2, 6, 3, 7] };
        let low = form.halves[first].unwrap_or_else(|| self.l.mix(lanes[0], lanes[1], order));
        let high = form.halves[first + 1].unwrap_or_else(|| self.l.mix(lanes[2], lanes[3], order));
        let pick = if component.is_multiple_of(2) { [0, 1, 4, 5] } else { [2, 3, 6, 7] };
        let value = self.l.mix(low, high, pick);
        let form = &mut self.rows[row].forms[usize::from(scaled)];
        form.lanes = Some(lanes);
        form.halves[first] = Some(low);
        form.halves[first + 1] = Some(high);
        form.components[component] = Some(value);
        value
    }

    /// A register component whose value is not scaled, with all its bits.
    pub(crate) fn plain(&mut self, value: F32s, bound: f32, negative_zero: bool) -> Operand {
        self.add_data(Data { plain: Some(value), bound, negative_zero, ..Data::new(Origin::Computed) })
    }

    /// A register component times 2^-64.
    pub(crate) fn scaled(&mut self, value: F32s, bound: f32) -> Operand {
        self.add_data(Data { scaled: Some(value), bound, ..Data::new(Origin::Computed) })
    }

    /// A register component of another block, in the form that [`portable`](Self::portable) gave it.
    pub(crate) fn carried(&mut self, value: F32s, bound: f32, form: Form) -> Operand {
        match (self.arithmetic, form) {
            (Arithmetic::ConsoleFast, Form::Scaled) => self.scaled(value, bound),
            (Arithmetic::Binary32Fast, _) => {
                let data = Data { plain: Some(value), unseen: true, ..Data::new(Origin::Computed) };
                self.add_data(data)
            }
            _ => self.plain(value, bound, true),
        }
    }

    /// The form in which a register component is better carried to other blocks.
    pub(crate) fn better_form(&self, operand: Operand) -> Form {
        let [plain, scaled] = self.costs(operand.num);
        if self.arithmetic == Arithmetic::ConsoleFast && scaled <= plain { Form::Scaled } else { Form::Plain }
    }

    /// A register component as a value for other blocks.
    pub(crate) fn portable(&mut self, operand: Operand, form: Form) -> F32s {
        if self.arithmetic != Arithmetic::ConsoleFast {
            return self.signed_plain(operand);
        }
        let dirty = self.data(operand.num).dirty;
        let value = match form {
            Form::Plain => self.plain_form(operand.num),
            Form::Scaled => self.scaled_form(operand.num),
        };
        self.finish(value, operand.negate, dirty)
    }

    /// The bound that [`carried`](Self::carried) may be told for this number.
    pub(crate) fn bound(&self, operand: Operand) -> f32 {
        self.data(operand.num).bound
    }

    /// The value of four inputs that a guest supplies as binary32.
    pub(crate) fn input_f32(&mut self, value: F32s) -> Operand {
        match self.arithmetic {
            Arithmetic::Binary32Fast | Arithmetic::Binary32Exact => self.plain(value, f32::INFINITY, true),
            Arithmetic::ConsoleExact => {
                let value = self.truncate_exact(value);
                let data = Data {
                    plain: Some(value),
                    flushed: true,
                    negative_zero: false,
                    ..Data::new(Origin::Computed)
                };
                self.add_data(data)
            }
            Arithmetic::ConsoleFast => self.input_console(value),
        }
    }

    /// `T` of an input whose magnitude is checked: AND, and nothing below the smallest normal.
    fn input_console(&mut self, value: F32s) -> Operand {
        let magnitude = self.l.magnitude(value);
        let magnitude = self.l.as_ints(magnitude);
        self.largest_input = Some(match self.largest_input {
            Some(largest) => self.l.int_max(largest, magnitude),
            None => magnitude,
        });
        let least = self.l.int(SMALLEST_NORMAL as i32 - 1);
        let normal = self.l.int_compare(IntCC::SignedGreaterThan, magnitude, least);
        let value = self.l.keep(normal, value);
        let value = self.l.and_bits(value, MANTISSA_MASK);
        self.plain(value, self.input_limit, false)
    }

    /// The lanes in which something exceptional may have happened so far in this block.
    pub(crate) fn take_flags(&mut self) -> Option<Mask> {
        if let Some(value) = self.waiting.take() {
            let nan = self.l.compare(FloatCC::Unordered, value, value);
            self.flag(nan);
        }
        if let Some(largest) = self.largest_input.take() {
            let limit = self.l.int(self.input_limit.to_bits() as i32);
            let beyond = self.l.int_compare(IntCC::SignedGreaterThan, largest, limit);
            self.flag(beyond);
        }
        self.flags.take()
    }

    fn flag(&mut self, lanes: Mask) {
        self.flags = Some(match self.flags {
            Some(flags) => self.l.or(flags, lanes),
            None => lanes,
        });
    }

    /// Flags lanes whose magnitude (of one form, scaled or not) exceeds the limit, or is NaN.
    fn check(&mut self, value: F32s, limit: f32) {
        let magnitude = self.l.magnitude(value);
        let limit = self.l.float(limit);
        let beyond = self.l.compare(FloatCC::UnorderedOrGreaterThan, magnitude, limit);
        self.flag(beyond);
    }

    /// `Binary32Fast`: a NaN would vanish or be seen here.
    pub(crate) fn observe(&mut self, operand: Operand) {
        if !std::mem::take(&mut self.data_mut(operand.num).unseen) {
            return;
        }
        let value = self.plain_form(operand.num);
        match self.waiting.take() {
            None => self.waiting = Some(value),
            // One comparison tests two numbers.
            Some(other) => {
                let nan = self.l.compare(FloatCC::Unordered, other, value);
                self.flag(nan);
            }
        }
    }
}

/// Forms of a number.
impl Numbers<'_> {
    /// The number without scale; its sign of zero may be dirty.
    fn plain_form(&mut self, num: Num) -> F32s {
        if let Some(value) = self.data(num).plain {
            return value;
        }
        match self.data(num).origin {
            Origin::Splat(slot) => self.l.load_floats(self.splats, splat_offset(slot)),
            Origin::Row(row, component) => self.row_form(row, component, false),
            Origin::Constant(value) => self.l.float(value),
            Origin::Ones(mask) => {
                let one = self.l.float(1.0);
                self.keep_plain(num, |l| l.keep(mask, one))
            }
            Origin::Computed => {
                let scaled = self.scaled_form(num);
                let unscale = self.l.float(UNSCALE);
                self.keep_plain(num, |l| l.fmul(scaled, unscale))
            }
        }
    }

    fn keep_plain(&mut self, num: Num, make: impl FnOnce(&mut Lanes<'_>) -> F32s) -> F32s {
        let value = make(&mut self.l);
        self.data_mut(num).plain = Some(value);
        value
    }

    /// The number times 2^-64. `ConsoleFast` only.
    fn scaled_form(&mut self, num: Num) -> F32s {
        if let Some(value) = self.data(num).scaled {
            return value;
        }
        let value = match self.data(num).origin {
            Origin::Splat(slot) => return self.l.load_floats(self.scaled_splats, splat_offset(slot)),
            Origin::Row(row, component) => return self.row_form(row, component, true),
            Origin::Constant(value) => return self.l.float(value * SCALE),
            Origin::Ones(mask) => {
                let one = self.l.float(SCALE);
                self.l.keep(mask, one)
            }
            Origin::Computed => {
                let plain = self.plain_form(num);
                let scale = self.l.float(SCALE);
                self.l.fmul(plain, scale)
            }
        };
        self.data_mut(num).scaled = Some(value);
        value
    }

    /// Instructions that the two forms of a number cost now: plain, scaled.
    fn costs(&self, num: Num) -> [u32; 2] {
        let data = self.data(num);
        match data.origin {
            Origin::Splat(_) | Origin::Constant(_) => [0, 0],
            Origin::Row(row, _) => {
                // Once one table's row is loaded, the other's would be work for nothing.
                let [plain, scaled] = &self.rows[row].forms;
                [u32::from(scaled.lanes.is_some()), u32::from(plain.lanes.is_some())]
            }
            _ => [u32::from(data.plain.is_none()), u32::from(data.scaled.is_none())],
        }
    }

    /// Applies a pending negation, and makes +0 of a -0 that stands for it.
    fn finish(&mut self, value: F32s, negate: bool, dirty: bool) -> F32s {
        match (negate, dirty) {
            (false, false) => value,
            (true, false) => self.l.negate(value),
            (false, true) => {
                let zero = self.l.float(0.0);
                self.l.fadd(value, zero)
            }
            (true, true) => {
                let zero = self.l.float(0.0);
                self.l.fsub(zero, value)
            }
        }
    }

    /// The register's bits, as a program sees them. A NaN seen here is flagged.
    pub(crate) fn bits_of(&mut self, operand: Operand) -> F32s {
        self.observe(operand);
        let dirty = self.data(operand.num).dirty;
        let value = self.plain_form(operand.num);
        self.finish(value, operand.negate, dirty)
    }

    /// The magnitude of the register.
    pub(crate) fn magnitude_of(&mut self, operand: Operand) -> F32s {
        self.observe(operand);
        let value = self.plain_form(operand.num);
        self.l.magnitude(value)
    }

    /// The number without scale, negated where asked; the sign of zero may be dirty.
    fn signed_plain(&mut self, operand: Operand) -> F32s {
        let value = self.plain_form(operand.num);
        self.finish(value, operand.negate, false)
    }

    /// A source operand with its sign flipped, for arithmetic, which does not see the sign of zero where it
    /// is dirty.
    pub(crate) fn flipped(operand: Operand) -> Operand {
        Operand { negate: !operand.negate, ..operand }
    }

    /// A source operand with its sign flipped as registers are, that of zero too, for copies.
    pub(crate) fn negated(&mut self, operand: Operand) -> Operand {
        let clean = self.cleaned(operand);
        if self.data(clean.num).negative_zero {
            return Operand { negate: !clean.negate, ..clean };
        }
        // The copy may hold a -0 that means it; the original cannot.
        let copy = Data { negative_zero: true, ..self.data(clean.num).clone() };
        let copy = self.add_data(copy);
        Operand { negate: !clean.negate, ..copy }
    }

    /// The number with the sign of zero that the register has.
    fn cleaned(&mut self, operand: Operand) -> Operand {
        if !self.data(operand.num).dirty {
            return operand;
        }
        let bound = self.data(operand.num).bound;
        let scaled = self.data(operand.num).scaled.is_some();
        let value = if scaled { self.scaled_form(operand.num) } else { self.plain_form(operand.num) };
        let value = self.finish(value, operand.negate, true);
        let mut data = Data { bound, negative_zero: false, ..Data::new(Origin::Computed) };
        if scaled {
            data.scaled = Some(value);
        } else {
            data.plain = Some(value);
        }
        self.add_data(data)
    }

    /// `ConsoleFast`: makes sure that the number is bounded.
    fn bounded(&mut self, num: Num) {
        if self.data(num).bound.is_finite() {
            return;
        }
        if self.data(num).plain.is_some() {
            let value = self.plain_form(num);
            self.check(value, CHECKED);
        } else {
            let value = self.scaled_form(num);
            self.check(value, CHECKED * SCALE);
        }
        self.data_mut(num).bound = CHECKED;
    }
}

/// Arithmetic.
impl Numbers<'_> {
    /// `a × b` with 0 × ∞ = 0.
    pub(crate) fn mul(&mut self, a: Operand, b: Operand) -> Operand {
        match self.arithmetic {
            Arithmetic::Binary32Fast => {
                if let Some(result) = self.mul_by_one(a, b) {
                    return result;
                }
                let (x, y) = (self.plain_form(a.num), self.plain_form(b.num));
                let product = self.l.fmul(x, y);
                self.ieee(product, a.negate ^ b.negate)
            }
            Arithmetic::ConsoleFast => self.mul_console(a, b),
            Arithmetic::Binary32Exact => {
                let (x, y) = (self.signed_plain(a), self.signed_plain(b));
                let product = self.product_exact(x, y);
                self.plain(product, f32::INFINITY, true)
            }
            Arithmetic::ConsoleExact => {
                let (x, y) = (self.flushed(a), self.flushed(b));
                let product = self.product_exact(x, y);
                self.truncated(product)
            }
        }
    }

    /// An arithmetic result of plain IEEE.
    fn ieee(&mut self, value: F32s, negate: bool) -> Operand {
        let result = self.add_data(Data { plain: Some(value), unseen: true, ..Data::new(Origin::Computed) });
        Operand { negate, ..result }
    }

    fn is_one(&self, operand: Operand) -> bool {
        self.data(operand.num).origin == Origin::Constant(1.0)
    }

    /// The other factor when one is 1: its bits, unless it is NaN (then canonical) or, with 24 bits, -0.
    fn mul_by_one(&mut self, a: Operand, b: Operand) -> Option<Operand> {
        let (other, one) = match (self.is_one(a), self.is_one(b)) {
            (true, _) => (b, a),
            (_, true) => (a, b),
            _ => return None,
        };
        let console = self.arithmetic == Arithmetic::ConsoleFast;
        let data = self.data(other.num).clone();
        let data = Data { unseen: !console, dirty: console, squares: Vec::new(), ..data };
        let result = self.add_data(data);
        Some(Operand { negate: other.negate ^ one.negate, ..result })
    }

    fn mul_console(&mut self, a: Operand, b: Operand) -> Operand {
        self.bounded(a.num);
        self.bounded(b.num);
        if let Some(result) = self.mul_by_one(a, b) {
            return result;
        }
        let ([plain_a, scaled_a], [plain_b, scaled_b]) = (self.costs(a.num), self.costs(b.num));
        let (x, y) = if plain_a + scaled_b < scaled_a + plain_b {
            (self.plain_form(a.num), self.scaled_form(b.num))
        } else {
            (self.scaled_form(a.num), self.plain_form(b.num))
        };
        let product = self.l.fmul(x, y);
        let result = self.scaled_result(product, self.product_bound(a.num, b.num));
        if a == b {
            self.data_mut(result.num).squares = vec![a.num];
        }
        Operand { negate: a.negate ^ b.negate, ..result }
    }

    fn product_bound(&self, a: Num, b: Num) -> f32 {
        let (x, y) = (self.data(a), self.data(b));
        if x.normalises.contains(&b) || y.normalises.contains(&a) {
            // |v| / √(sum of squares with v² among them): truncation on the way adds less than 2^-13.
            return 1.001;
        }
        grown(f64::from(x.bound) * f64::from(y.bound))
    }

    /// `T` of a scaled result: truncated, checked where the bound asks for it.
    fn scaled_result(&mut self, value: F32s, bound: f32) -> Operand {
        let value = self.l.and_bits(value, MANTISSA_MASK);
        let bound = if bound < ROOM {
            bound
        } else {
            self.check(value, CHECKED * SCALE);
            CHECKED
        };
        let data = Data {
            scaled: Some(value),
            bound,
            dirty: true,
            negative_zero: false,
            ..Data::new(Origin::Computed)
        };
        self.add_data(data)
    }

    /// `T` of a result without scale that is known not to underflow.
    fn plain_result(&mut self, value: F32s, bound: f32) -> Operand {
        let value = self.l.and_bits(value, MANTISSA_MASK);
        let data = Data { dirty: true, negative_zero: false, ..Data::new(Origin::Computed) };
        self.add_data(Data { plain: Some(value), bound, ..data })
    }

    fn product_exact(&mut self, a: F32s, b: F32s) -> F32s {
        let product = self.l.fmul(a, b);
        let nan = self.l.compare(FloatCC::Unordered, product, product);
        let brought = self.l.compare(FloatCC::Unordered, a, b);
        let canonical = self.l.bits(CANONICAL_NAN);
        let replacement = self.l.keep(brought, canonical);
        self.l.select(nan, replacement, product)
    }

    /// `a + b`.
    pub(crate) fn add(&mut self, a: Operand, b: Operand) -> Operand {
        match self.arithmetic {
            Arithmetic::Binary32Fast => {
                let (x, y) = match (a.negate, b.negate) {
                    (true, true) => (self.signed_plain(a), self.plain_form(b.num)),
                    _ => (self.plain_form(a.num), self.plain_form(b.num)),
                };
                let sum = match (a.negate, b.negate) {
                    (false, false) => self.l.fadd(x, y),
                    (_, true) => self.l.fsub(x, y),
                    (true, false) => self.l.fsub(y, x),
                };
                self.ieee(sum, false)
            }
            Arithmetic::ConsoleFast => self.add_console(a, b),
            Arithmetic::Binary32Exact => {
                let (x, y) = (self.signed_plain(a), self.signed_plain(b));
                let sum = self.l.fadd(x, y);
                self.canonical(sum)
            }
            Arithmetic::ConsoleExact => {
                let (x, y) = (self.flushed(a), self.flushed(b));
                let sum = self.l.fadd(x, y);
                self.truncated(sum)
            }
        }
    }

    fn add_console(&mut self, a: Operand, b: Operand) -> Operand {
        self.bounded(a.num);
        self.bounded(b.num);
        let (x, y) = (self.scaled_form(a.num), self.scaled_form(b.num));
        let sum = match (a.negate, b.negate) {
            (false, true) => self.l.fsub(x, y),
            (true, false) => self.l.fsub(y, x),
            _ => self.l.fadd(x, y),
        };
        let bound = grown(f64::from(self.data(a.num).bound) + f64::from(self.data(b.num).bound));
        let squares = self.summed_squares(a, b);
        let result = self.scaled_result(sum, bound);
        self.data_mut(result.num).squares = squares;
        Operand { negate: a.negate && b.negate, ..result }
    }

    fn summed_squares(&self, a: Operand, b: Operand) -> Vec<Num> {
        let (x, y) = (&self.data(a.num).squares, &self.data(b.num).squares);
        if x.is_empty() || y.is_empty() || a.negate || b.negate {
            Vec::new()
        } else {
            [x.as_slice(), y].concat()
        }
    }

    /// `Binary32Exact`: a NaN becomes the canonical one.
    fn canonical(&mut self, value: F32s) -> Operand {
        let nan = self.l.compare(FloatCC::Unordered, value, value);
        let canonical = self.l.bits(CANONICAL_NAN);
        let value = self.l.select(nan, canonical, value);
        self.plain(value, f32::INFINITY, true)
    }

    /// `ConsoleExact`: the operand with everything below the smallest normal made +0.
    fn flushed(&mut self, operand: Operand) -> F32s {
        let flushed = self.data(operand.num).flushed;
        let value = self.signed_plain(operand);
        if flushed && !operand.negate { value } else { self.flush(value) }
    }

    fn flush(&mut self, value: F32s) -> F32s {
        let magnitude = self.l.magnitude(value);
        let magnitude = self.l.as_ints(magnitude);
        let least = self.l.int(SMALLEST_NORMAL as i32 - 1);
        let normal = self.l.int_compare(IntCC::SignedGreaterThan, magnitude, least);
        self.l.keep(normal, value)
    }

    /// `T`, whole.
    fn truncate_exact(&mut self, value: F32s) -> F32s {
        let kept = self.l.and_bits(value, MANTISSA_MASK);
        let magnitude = self.l.magnitude(value);
        let magnitude = self.l.as_ints(magnitude);
        let least = self.l.int(SMALLEST_NORMAL as i32 - 1);
        let normal = self.l.int_compare(IntCC::SignedGreaterThan, magnitude, least);
        let kept = self.l.keep(normal, kept);
        let most = self.l.int(OVERFLOW as i32 - 1);
        let beyond = self.l.int_compare(IntCC::SignedGreaterThan, magnitude, most);
        let sign = self.l.and_bits(value, 0x8000_0000);
        let infinity = self.l.float(f32::INFINITY);
        let signed_infinity = self.l.or_floats(sign, infinity);
        let result = self.l.select(beyond, signed_infinity, kept);
        let nan = self.l.compare(FloatCC::Unordered, value, value);
        let canonical = self.l.bits(CANONICAL_NAN);
        self.l.select(nan, canonical, result)
    }

    fn truncated(&mut self, value: F32s) -> Operand {
        let value = self.truncate_exact(value);
        let data = Data { plain: Some(value), flushed: true, ..Data::new(Origin::Computed) };
        self.add_data(Data { negative_zero: false, ..data })
    }

    /// A result of a one-operand function that the profile rounds.
    fn rounded(&mut self, value: F32s) -> Operand {
        match self.arithmetic {
            Arithmetic::Binary32Exact => self.canonical(value),
            Arithmetic::ConsoleExact => self.truncated(value),
            Arithmetic::Binary32Fast => self.ieee(value, false),
            Arithmetic::ConsoleFast => {
                self.check(value, CHECKED);
                self.plain_result(value, CHECKED)
            }
        }
    }

    /// The operand of a one-operand function.
    fn argument(&mut self, a: Operand) -> F32s {
        match self.arithmetic {
            Arithmetic::ConsoleExact => self.flushed(a),
            _ => self.signed_plain(a),
        }
    }

    /// `1 / a`.
    pub(crate) fn rcp(&mut self, a: Operand) -> Operand {
        if self.arithmetic != Arithmetic::ConsoleFast {
            let x = self.argument(a);
            let one = self.l.float(1.0);
            let quotient = self.l.fdiv(one, x);
            return self.rounded(quotient);
        }
        self.bounded(a.num);
        if self.data(a.num).bound > CHECKED {
            // Keeps the quotient above the smallest normal.
            self.data_mut(a.num).bound = f32::INFINITY;
            self.bounded(a.num);
        }
        let (numerator, x) = match self.data(a.num).scaled {
            Some(x) => (SCALE, x),
            None => (1.0, self.plain_form(a.num)),
        };
        let numerator = self.l.float(numerator);
        let quotient = self.l.fdiv(numerator, x);
        let result = self.rounded(quotient);
        Operand { negate: a.negate, ..result }
    }

    /// `1 / √a`.
    pub(crate) fn rsq(&mut self, a: Operand) -> Operand {
        // √(a × 2^-64) is √a × 2^-32 exactly, because both roots are rounded alike.
        let scaled = match self.arithmetic {
            Arithmetic::ConsoleFast => {
                self.bounded(a.num);
                self.data(a.num).scaled
            }
            _ => None,
        };
        let (numerator, x) = match scaled {
            Some(x) => (HALF_SCALE, self.finish(x, a.negate, false)),
            None => (1.0, self.argument(a)),
        };
        let root = self.l.sqrt(x);
        let numerator = self.l.float(numerator);
        let quotient = self.l.fdiv(numerator, root);
        let result = self.rounded(quotient);
        if !a.negate {
            self.data_mut(result.num).normalises = self.data(a.num).squares.clone();
        }
        result
    }

    /// 2 to the power `a`.
    pub(crate) fn ex2(&mut self, a: Operand) -> Operand {
        let console = matches!(self.arithmetic, Arithmetic::ConsoleFast | Arithmetic::ConsoleExact);
        let x = self.argument(a);
        let power = self.l.ex2(x, console);
        if self.arithmetic != Arithmetic::ConsoleFast {
            return self.rounded(power);
        }
        self.bounded(a.num);
        self.check(power, CHECKED);
        // Small powers underflow: the scaled form is flushed.
        let scale = self.l.float(SCALE);
        let scaled = self.l.fmul(power, scale);
        self.scaled_result(scaled, CHECKED)
    }

    /// Logarithm of `a` to base 2.
    pub(crate) fn lg2(&mut self, a: Operand) -> Operand {
        let x = self.argument(a);
        // Of a 24-bit value other than 1 it is at least 2^-17 in magnitude, so it cannot underflow.
        let log = self.l.lg2(x);
        self.rounded(log)
    }

    /// The largest integer that is not above `a`.
    pub(crate) fn flr(&mut self, a: Operand) -> Operand {
        let x = self.argument(a);
        let floor = self.l.floor(x);
        if self.arithmetic != Arithmetic::ConsoleFast {
            return self.rounded(floor);
        }
        self.bounded(a.num);
        let bound = grown(f64::from(self.data(a.num).bound) + 1.0);
        self.plain_result(floor, bound)
    }
}

/// Copies and comparisons.
impl Numbers<'_> {
    /// `a > b ? a : b` (or `<`), bits and all.
    fn pick(&mut self, a: Operand, b: Operand, pick: fn(&mut Lanes<'_>, F32s, F32s) -> F32s) -> Operand {
        self.observe(a);
        self.observe(b);
        if self.arithmetic != Arithmetic::ConsoleFast {
            let (x, y) = (self.signed_plain(a), self.signed_plain(b));
            let value = pick(&mut self.l, x, y);
            return self.plain(value, f32::INFINITY, true);
        }
        self.bounded(a.num);
        self.bounded(b.num);
        let (a, b) = self.comparable_zeros(a, b);
        let ([plain_a, scaled_a], [plain_b, scaled_b]) = (self.costs(a.num), self.costs(b.num));
        let plain = plain_a + plain_b < scaled_a + scaled_b;
        let [x, y] = [a, b].map(|o| {
            let value = if plain { self.plain_form(o.num) } else { self.scaled_form(o.num) };
            self.finish(value, o.negate, false)
        });
        let value = pick(&mut self.l, x, y);
        let (da, db) = (self.data(a.num), self.data(b.num));
        let data = Data {
            bound: da.bound.max(db.bound),
            dirty: da.dirty || db.dirty,
            negative_zero: da.negative_zero || db.negative_zero || a.negate || b.negate,
            plain: plain.then_some(value),
            scaled: (!plain).then_some(value),
            ..Data::new(Origin::Computed)
        };
        self.add_data(data)
    }

    /// Cleans one operand where the other may hold a -0 that means it: of the result nobody could tell.
    fn comparable_zeros(&mut self, a: Operand, b: Operand) -> (Operand, Operand) {
        let (da, db) = (self.data(a.num), self.data(b.num));
        let (clean_a, clean_b) = (
            da.dirty && !db.dirty && (db.negative_zero || b.negate),
            db.dirty && !da.dirty && (da.negative_zero || a.negate),
        );
        (if clean_a { self.cleaned(a) } else { a }, if clean_b { self.cleaned(b) } else { b })
    }

    /// `a > b ? a : b`.
    pub(crate) fn max(&mut self, a: Operand, b: Operand) -> Operand {
        self.pick(a, b, |l, x, y| l.max(x, y))
    }

    /// `a < b ? a : b`.
    pub(crate) fn min(&mut self, a: Operand, b: Operand) -> Operand {
        self.pick(a, b, |l, x, y| l.min(x, y))
    }

    /// Where the comparison holds. Operands are not flushed, and the sign of zero does not matter.
    pub(crate) fn compare(&mut self, compare: Compare, a: Operand, b: Operand) -> Mask {
        let cc = match compare {
            Compare::Equal => FloatCC::Equal,
            Compare::NotEqual => FloatCC::NotEqual,
            Compare::Less => FloatCC::LessThan,
            Compare::LessEqual => FloatCC::LessThanOrEqual,
            Compare::Greater => FloatCC::GreaterThan,
            Compare::GreaterEqual => FloatCC::GreaterThanOrEqual,
            Compare::True => return self.l.all(),
        };
        self.observe(a);
        self.observe(b);
        let plain = if self.arithmetic == Arithmetic::ConsoleFast {
            self.bounded(a.num);
            self.bounded(b.num);
            let ([plain_a, scaled_a], [plain_b, scaled_b]) = (self.costs(a.num), self.costs(b.num));
            plain_a + plain_b < scaled_a + scaled_b
        } else {
            true
        };
        let [x, y] = [a, b].map(|o| {
            let value = if plain { self.plain_form(o.num) } else { self.scaled_form(o.num) };
            self.finish(value, o.negate, false)
        });
        self.l.compare(cc, x, y)
    }

    /// 1.0 where the mask is set, else +0.
    pub(crate) fn ones(&mut self, mask: Mask) -> Operand {
        let data = Data::new(Origin::Ones(mask));
        self.add_data(Data { bound: 1.0, negative_zero: false, flushed: true, ..data })
    }

    /// The integer that `MOVA` makes. `loose`: only offsets within a byte's range must be right.
    pub(crate) fn integer(&mut self, a: Operand, loose: bool) -> I32s {
        self.observe(a);
        if self.arithmetic == Arithmetic::ConsoleFast {
            self.bounded(a.num);
        }
        let x = self.signed_plain(a);
        if loose { self.l.float_to_int_loose(x) } else { self.l.float_to_int(x) }
    }
}

/// A bound rounded up enough to cover the rounding of what it bounds.
fn grown(bound: f64) -> f32 {
    (bound * (1.0 + 1e-6)) as f32
}
