//! Memory interface of generated shader code: the call block, field by field, and elements of attributes.

use crate::key::bytes::listed;
use crate::key::forms::{Digit, Spelled};
use crate::key::key;
use picaflor_pipeline::pica::regs::geometry::ElementType;
use std::mem::offset_of;

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
    /// Destination of each output component.
    pub(crate) outputs: [*mut f32; 64],
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
    use std::mem::offset_of;

    /// Complete input of a compiled geometry routine. All pointers are valid for the call.
    #[derive(Debug)]
    #[repr(C)]
    pub(crate) struct GeometryCall {
        /// Splatted uniform components.
        pub(crate) splats: *const [f32; 4],
        /// Row 0 of the uniforms.
        pub(crate) rows: *const [f32; 4],
        /// `v0`-`v15`.
        pub(crate) v: *const f32,
        /// `r0`-`r15`.
        pub(crate) r: *mut f32,
        /// `o0`-`o15` of the current bank.
        pub(crate) bank: *mut f32,
        /// Called for each EMIT with this call.
        pub(crate) emit: unsafe extern "C" fn(*mut GeometryCall),
        /// For `emit`.
        pub(crate) sink: *mut u8,
        /// Instructions that the run may execute in a program with cycles.
        pub(crate) budget: u64,
        /// All ones where set.
        pub(crate) cmp: [i32; 2],
        /// `a0.x`, `a0.y`.
        pub(crate) a0: [i32; 2],
        /// `aL`.
        pub(crate) al: i32,
        /// All ones when `b15` is set.
        pub(crate) b15: i32,
        /// Vertex id, primitive flag, winding flag.
        pub(crate) latch: [u32; 3],
        /// Not zero when the interpreter has to do the run.
        pub(crate) flagged: u32,
    }

    macro_rules! offsets {
        ($($name:ident = $field:ident),* $(,)?) => {
            $(pub(crate) const $name: i32 = offset_of!(GeometryCall, $field) as i32;)*
        };
    }

    offsets! {
        SPLAT_TABLE = splats,
        ROW_TABLE = rows,
        V = v,
        R = r,
        BANK_POINTER = bank,
        EMIT = emit,
        BUDGET = budget,
        CMP = cmp,
        A0 = a0,
        AL = al,
        B15 = b15,
        LATCH = latch,
        FLAGGED = flagged,
    }
}
