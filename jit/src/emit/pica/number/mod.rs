//! Numbers of the guest and their arithmetic: `pipeline::pica::float`, rule for rule, as CLIF.
//!
//! There are four arithmetics ([`Arithmetic`]). The two *exact* ones apply every rule to every result. The two *fast*
//! ones leave out the rules for exceptional values, and raise the lanes of [`Numbers::flags`] where it may have:
//! those vertices run again in the exact code. What a fast result would be in a flagged lane is irrelevant, so each
//! rule below need only hold for the lanes not flagged.
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

use crate::emit::lanes::{F32s, I32s, Lanes, Mask, Scalar};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use picaflor_pipeline::pica::float::{MANTISSA_MASK, SMALLEST_NORMAL};
use std::collections::BTreeSet;

mod arithmetic;
mod compare;
mod forms;

/// Variant of compiled arithmetic.
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
/// Bound of a checked number. The product of two stays in range.
const CHECKED: f32 = f32::from_bits((127 + 30) << 23);
/// A bound with room below 2^64 for the rounding of bounds.
const ROOM: f32 = f32::from_bits((127 + 63) << 23);

/// Table entries of a call block that code reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TableUses {
    /// Slots of the splat tables.
    pub(crate) splats: BTreeSet<u16>,
    /// True if rows are read.
    pub(crate) rows: bool,
}

/// Form of a register component between blocks.
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

/// Source of a number that needs no arithmetic.
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
    /// True if lane 0 is the only one that counts.
    pub(crate) single: bool,
    splats: Scalar,
    scaled_splats: Scalar,
    /// Bound of the magnitude of uniforms and fixed attributes.
    uniform_bound: f32,
    /// Table entries that are read.
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
            single: false,
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
        if self.single {
            let Row { lanes, number, .. } = &self.rows[row];
            let value = self.l.load_first(lanes[usize::from(scaled)][0], number * 16 + component as i32 * 4);
            self.rows[row].forms[usize::from(scaled)].components[component] = Some(value);
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

    /// A register component at the start of a geometry run. `ConsoleFast`: it was checked to be 0 or a 24-bit normal
    /// within the limit of inputs.
    pub(crate) fn initial(&mut self, value: F32s) -> Operand {
        self.plain(value, self.input_limit, true)
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

/// A bound rounded up far enough to cover the rounding of the bounded value.
fn grown(bound: f64) -> f32 {
    (bound * (1.0 + 1e-6)) as f32
}
