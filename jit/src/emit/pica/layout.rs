//! Memory interface of generated shader code: the call block, field by field, and elements of attributes.

use crate::key::bytes::listed;
use crate::key::forms::{After, Decimal, Digit, Hex, Spelled};
use crate::key::key;
use picaflor_pipeline::pica::regs::geometry::ElementType;
use std::mem::{MaybeUninit, offset_of};

/// Complete input of a compiled vertex routine. All pointers are valid for the call.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ShadeCall {
    /// Groups of four vertices to run; at least 1.
    pub(crate) groups: u64,
    /// Number of each group to run, `groups` of them, or null for 0, 1, 2, …
    pub(crate) group_list: *const u32,
    /// Index of each vertex, padded to whole groups.
    pub(crate) indices: *const u32,
    /// Host address of element 0 of each attribute register's array.
    pub(crate) arrays: [*const u8; 16],
    /// Distance between elements of each attribute register's array, in bytes.
    pub(crate) strides: [u64; 16],
    /// Splatted scalars: uniform components, then fixed attributes. See [`splat_offset`].
    pub(crate) splats: *const [f32; 4],
    /// The same, times 2^-64.
    pub(crate) scaled_splats: *const [f32; 4],
    /// Row 0 of the uniforms for relative addressing: rows from -128 to 222 exist.
    pub(crate) rows: *const [f32; 4],
    /// The same, times 2^-64.
    pub(crate) scaled_rows: *const [f32; 4],
    /// Destination of each output component that the routine has; it reads no other one.
    // Not cleared, which took a tenth of a small call.
    pub(crate) outputs: [MaybeUninit<*mut f32>; 64],
    /// Receives the numbers of groups that must run again.
    pub(crate) flagged: *mut u32,
    /// Number of flagged groups.
    pub(crate) flagged_count: u64,
    /// Instructions that a group may execute in a program with cycles.
    pub(crate) budget: u64,
}

listed! { enum ElementType { I8, U8, I16, F32 } }

/// Element types by letter.
const ELEMENTS: Spelled<ElementType> = Spelled(&[
    ("s", ElementType::I8),
    ("u", ElementType::U8),
    ("h", ElementType::I16),
    ("f", ElementType::F32),
]);

key! {
    /// Specialisation for one `v` register.
    #[derive(Default)]
    pub(crate) enum InputKey {
        /// No attribute goes there: zero.
        #[default]
        Absent = "-",
        /// The same for all vertices.
        Fixed = "c",
        /// From an array.
        Array {
            /// Type of the elements.
            element: ElementType = ELEMENTS,
            /// Components, 1-4.
            components: u8 = Digit(5),
            /// The first register with the same stride.
            stride_of: u8 = Digit(16),
        } = "",
    }
}

key! {
    /// Source of the inputs of a geometry routine.
    pub(crate) enum RunInputs {
        /// One run, whose inputs are in the registers of the unit.
        Unit = "u",
        /// A batch with inputs for registers.
        Registers {
            /// Bit `n`: an input goes to `v[n]`.
            loaded: u16 = Hex(4),
        } = "v",
        /// A batch with inputs for consecutive float uniforms.
        Uniforms {
            /// The first one.
            first: u8 = Decimal,
            /// How many.
            count: u8 = After("+", Decimal),
        } = "c",
    }
}

impl InputKey {
    /// Bytes that the code reads at each element, which may be more than the element has.
    pub(crate) const fn read_bytes(element: ElementType, components: u8) -> u32 {
        match (element, components) {
            (ElementType::I8 | ElementType::U8, _) | (ElementType::I16, 1 | 2) | (ElementType::F32, 1) => 4,
            (ElementType::I16, _) | (ElementType::F32, 2) => 8,
            (ElementType::F32, _) => 16,
        }
    }
}

/// Slots of the splat tables: 96 uniforms, 16 attribute registers, four components each.
pub(crate) const SPLATS: usize = (96 + 16) * 4;
/// Rows before row 0.
pub(crate) const ROWS_BEFORE: usize = 128;
/// All rows: a register number of at most 95 plus an offset of -128 to 127.
pub(crate) const ROWS: usize = ROWS_BEFORE + 96 + 127;

/// Offset of a splatted scalar.
pub(crate) const fn splat_offset(slot: usize) -> i32 {
    (slot * 16) as i32
}

macro_rules! offsets {
    ($($name:ident = $field:ident),* $(,)?) => {
        $(pub(crate) const $name: i32 = offset_of!(ShadeCall, $field) as i32;)*
    };
}

offsets! {
    GROUPS = groups,
    GROUP_LIST = group_list,
    INDICES = indices,
    ARRAYS = arrays,
    STRIDES = strides,
    SPLAT_TABLE = splats,
    SCALED_SPLAT_TABLE = scaled_splats,
    ROW_TABLE = rows,
    SCALED_ROW_TABLE = scaled_rows,
    OUTPUTS = outputs,
    FLAGGED = flagged,
    FLAGGED_COUNT = flagged_count,
    BUDGET = budget,
}

/// Fields of a geometry call.
pub(crate) mod geometry {
    use picaflor_pipeline::pica::stage::Emission;
    use std::mem::offset_of;

    /// Complete input of a compiled geometry routine. All pointers are valid for the call.
    ///
    /// There are two forms of routines: one run at a time, in lane 0, or four runs side by side. Fields below the
    /// common ones belong to one form.
    #[derive(Debug)]
    #[repr(C)]
    pub(crate) struct GeometryCall {
        /// Splatted uniform components.
        pub(crate) splats: *const [f32; 4],
        /// The same, times 2^-64.
        pub(crate) scaled_splats: *const [f32; 4],
        /// Row 0 of the uniforms.
        pub(crate) rows: *const [f32; 4],
        /// The same, times 2^-64.
        pub(crate) scaled_rows: *const [f32; 4],
        /// `v0`-`v15`.
        pub(crate) v: *const f32,
        /// `r0`-`r15`.
        pub(crate) r: *mut f32,
        /// `o0`-`o15` of the two banks, that which is current when the run begins first. Side by side: when the last run
        /// begins.
        pub(crate) banks: [*mut f32; 2],
        /// One run: the next emission; behind the last one when the call returns. Side by side: the first of run 0.
        pub(crate) emitted: *mut Emission,
        /// One run: end of the room for emissions.
        pub(crate) room: *mut Emission,
        /// One run: instructions that it may execute in a program with cycles.
        pub(crate) budget: u64,
        /// All ones where set.
        pub(crate) cmp: [i32; 2],
        /// `a0.x`, `a0.y`.
        pub(crate) a0: [i32; 2],
        /// `aL`.
        pub(crate) al: i32,
        /// All ones when `b15` is set.
        pub(crate) b15: i32,
        /// Vertex id, from bit 8 on the primitive flag, from bit 16 on the winding flag.
        pub(crate) latch: u32,
        /// One run: not zero when it has to be done another way; `r` and `o` may have changed.
        pub(crate) flagged: u32,
        /// One run: not zero when the room for emissions was too small.
        pub(crate) full: u32,
        /// Side by side: groups of four runs; at least 1.
        pub(crate) groups: u64,
        /// Number of each group to run in exact code.
        pub(crate) group_list: *const u32,
        /// Number of the last group, which leaves the registers.
        pub(crate) last_group: u64,
        /// Number of the run in each lane of each group.
        pub(crate) lanes: *const u32,
        /// Inputs of run 0.
        pub(crate) inputs: *const f32,
        /// Bytes of the inputs of a run.
        pub(crate) stride: u64,
        /// For each `v` register that inputs are loaded to, bytes from the first input of a run.
        pub(crate) offsets: [u64; 16],
        /// Where the run before the last leaves `o`, by the bank of the last run.
        pub(crate) before: [*mut f32; 2],
        /// Side by side: what other nodes may read or leave, four lanes each: `o` of two banks, then `r`.
        pub(crate) homes: *mut [f32; 4],
        /// Receives the numbers of groups that must run again.
        pub(crate) flagged_groups: *mut u32,
        /// Number of flagged groups.
        pub(crate) flagged_count: u64,
    }

    /// Bytes from one emission to the next.
    pub(crate) const EMISSION: i32 = size_of::<Emission>() as i32;
    /// The packed outputs of an emission.
    pub(crate) const RECORD: i32 = offset_of!(Emission, record) as i32;
    /// A byte each: vertex id, primitive flag, winding flag.
    pub(crate) const EMITTED_LATCH: [i32; 3] = [
        offset_of!(Emission, latch.id) as i32,
        offset_of!(Emission, latch.primitive) as i32,
        offset_of!(Emission, latch.winding) as i32,
    ];

    // Code that is stored has these numbers in it: they must be the same in every build.
    const _: () = assert!(EMISSION == 260 && RECORD == 0);
    const _: () = assert!(EMITTED_LATCH[0] == 256 && EMITTED_LATCH[1] == 257 && EMITTED_LATCH[2] == 258);

    /// Components of a bank of `o`, and of `r`.
    pub(crate) const COMPONENTS: usize = 64;

    macro_rules! offsets {
        ($($name:ident = $field:ident),* $(,)?) => {
            $(pub(crate) const $name: i32 = offset_of!(GeometryCall, $field) as i32;)*
        };
    }

    offsets! {
        SPLAT_TABLE = splats,
        SCALED_SPLAT_TABLE = scaled_splats,
        ROW_TABLE = rows,
        SCALED_ROW_TABLE = scaled_rows,
        V = v,
        R = r,
        BANKS = banks,
        EMITTED = emitted,
        ROOM = room,
        BUDGET = budget,
        CMP = cmp,
        A0 = a0,
        AL = al,
        B15 = b15,
        LATCH = latch,
        FLAGGED = flagged,
        FULL = full,
        GROUPS = groups,
        GROUP_LIST = group_list,
        LAST_GROUP = last_group,
        LANES = lanes,
        INPUTS = inputs,
        STRIDE = stride,
        OFFSETS = offsets,
        BEFORE = before,
        HOMES = homes,
        FLAGGED_GROUPS = flagged_groups,
        FLAGGED_COUNT = flagged_count,
    }
}
