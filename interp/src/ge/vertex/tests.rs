use crate::Interpreter;
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::{Remembered, TransformStage, VertexBatch};
use picaflor_pipeline::ge::vertex::{Outside, Vertex};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::NoMemory;

/// A machine with identity matrices and a viewport of 2048 around the middle.
struct Set {
    registers: Registers,
    matrices: Matrices,
    remembered: Remembered,
}

const NORMAL: u32 = 3 << 5;
const POSITION: u32 = 3 << 7;
const THROUGH: u32 = 1 << 23;

impl Set {
    fn new(vertex_type: u32) -> Self {
        let axes = std::array::from_fn(|n| if [0, 4, 8].contains(&n) { 1.0 } else { 0.0 });
        let matrices = Matrices {
            world: axes,
            view: axes,
            texture: axes,
            projection: std::array::from_fn(|n| if n % 5 == 0 { 1.0 } else { 0.0 }),
            ..Matrices::default()
        };
        let mut set = Self { registers: Registers::default(), matrices, remembered: Remembered::default() };
        set.write(op::VTYPE, vertex_type);
        for command in [op::XSCALE, op::YSCALE, op::ZSCALE, op::XPOS, op::YPOS] {
            set.float(command, 2048.0);
        }
        set.float(op::ZPOS, 32768.0);
        set.write(op::TME, 1);
        set
    }

    fn write(&mut self, command: u8, argument: u32) {
        self.registers.write(u32::from(command) << 24 | argument);
    }

    fn float(&mut self, command: u8, value: f32) {
        self.write(command, value.to_bits() >> 8);
    }

    fn floats(&mut self, command: u8, values: [f32; 3]) {
        (command..).zip(values).for_each(|(command, value)| self.float(command, value));
    }

    fn transform(&self, bytes: &[u8]) -> Vertex {
        let batch = VertexBatch {
            registers: &self.registers,
            matrices: &self.matrices,
            remembered: self.remembered,
            records: GuestSlice::from_slice(bytes),
            stride: self.registers.vertex_type().stride(),
            indices: &[0],
            memory: &NoMemory,
        };
        let mut out = vec![];
        Interpreter::new().transform(&batch, &mut out);
        out[0]
    }

    fn transform_floats(&self, values: &[f32]) -> Vertex {
        self.transform(&values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
    }
}

/// The table of 5.4: a position of 16-bit integers, ZSCALE -32767.5.
#[test]
fn measured_depths() {
    let depth = |centre: f32, to_w: f32| {
        let mut set = Set::new(2 << 7);
        set.float(op::ZSCALE, -32767.5);
        set.float(op::ZPOS, centre);
        set.matrices.projection[11] = f32::from_bits(to_w.to_bits() & !0xff);
        set.transform(&[0, 0, 0, 0, 0xcc, 0x6d]).z
    };
    let centres = [(32767.5, 0x1234), (32767.0, 0x1233), (32768.0, 0x1235)];
    assert_eq!(centres.map(|(centre, _)| depth(centre, 0.0)), centres.map(|(_, z)| z));
    let slopes = [(0.00005, 0x1235), (0.00002, 0x1234), (-0.00002, 0x1234), (-0.00005, 0x1233)];
    assert_eq!(slopes.map(|(slope, _)| depth(32767.5, slope)), slopes.map(|(_, z)| z));
    assert_eq!(Set::new(2 << 7 | THROUGH).transform(&[0, 0, 0, 0, 0x34, 0x12]).z, 0x1234);
}

/// A normal, then a position at the origin, white light on white material.
fn lit(components: u32, kind: u32) -> Set {
    let mut set = Set::new(NORMAL | POSITION);
    for command in [op::LTE, op::LTE0] {
        set.write(command, 1);
    }
    for command in [op::DMC, op::SMC, op::DLC0, op::SLC0] {
        set.write(command, 0xff_ffff);
    }
    set.write(op::LT0, components | kind << 8);
    set.float(op::LCA0, 1.0);
    set.floats(op::LXP0, [0.0, 0.0, 1.0]);
    set
}

const FACING: [f32; 6] = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

/// The table of 6.5: cosines.
#[test]
fn measured_cosines() {
    let cosines = [(1.0, 0xff), (0.866, 0xdd), (std::f32::consts::FRAC_1_SQRT_2, 0xb5), (0.577_35, 0x93)];
    for (cosine, channel) in cosines {
        let mut set = lit(0, 0);
        set.floats(op::LXP0, [(1.0 - cosine * cosine).sqrt(), 0.0, cosine]);
        assert_eq!(set.transform_floats(&FACING).colour, channel * 0x1_0101, "{cosine}");
    }
    // From behind: nothing.
    let away = [0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
    assert_eq!(lit(0, 0).transform_floats(&away).colour, 0);
    let mut reversed = lit(0, 0);
    reversed.write(op::RNORM, 1);
    assert_eq!(reversed.transform_floats(&away).colour, 0xff_ffff);
}

/// Attenuation by distance 2: a half is 80, a quarter 40 (6.5).
#[test]
fn measured_attenuation() {
    let at_two = |attenuation| {
        let mut set = lit(0, 1);
        set.floats(op::LXP0, [0.0, 0.0, 2.0]);
        set.floats(op::LCA0, attenuation);
        set.transform_floats(&FACING).colour & 0xff
    };
    assert_eq!(at_two([1.0, 0.0, 0.0]), 0xff);
    assert_eq!(at_two([0.0, 1.0, 0.0]), 0x80);
    assert_eq!(at_two([0.0, 0.0, 1.0]), 0x40);
    assert_eq!(at_two([-1.0, 0.0, 0.0]), 0);
    assert_eq!(at_two([0.0; 3]), 0xff);
    assert_eq!(at_two([f32::NAN, 0.0, 0.0]), 0);
}

#[test]
fn spots_have_edges_and_exponents() {
    let spot = |direction: [f32; 3], exponent: f32, cutoff: f32| {
        let mut set = lit(0, 2);
        set.floats(op::LXD0, direction);
        set.float(op::LSE0, exponent);
        set.float(op::LSC0, cutoff);
        set.transform_floats(&FACING).colour & 0xff
    };
    let slanted = [0.75_f32.sqrt(), 0.0, 0.5];
    assert_eq!(spot([0.0, 0.0, 1.0], 1.0, 0.5), 0xff);
    assert_eq!([0.25, 0.75].map(|cutoff| spot(slanted, 0.0, cutoff)), [0xff, 0]);
    // About a half to the power of a half: three quarters.
    assert!((0xbe..=0xc0).contains(&spot(slanted, 0.5, 0.0)));
    // Measured: exponent 0 lights what looks away too, if the edge lets it.
    assert_eq!(spot([0.0, 0.0, -1.0], 0.0, -1.0), 0xff);
    assert_eq!(spot([0.0; 3], 1.0, 0.0), 0);
    let infinity = f32::INFINITY;
    assert_eq!(spot([infinity, 0.0, 0.0], 1.0, 1.0), 0xff);
    assert_eq!(spot([-infinity, 0.0, 0.0], 1.0, 0.0), 0);
    assert_eq!([infinity, -infinity].map(|cutoff| spot([0.0, 0.0, 1.0], 1.0, cutoff)), [0, 0xff]);
}

#[test]
fn specular_is_separate_if_wanted() {
    let mut set = lit(1, 0);
    set.float(op::SPOW, 4.0);
    set.write(op::DLC0, 0x10_2030);
    assert_eq!(set.transform_floats(&FACING).colour, 0xff_ffff);
    set.write(op::LMODE, 1);
    let vertex = set.transform_floats(&FACING);
    assert_eq!((vertex.colour, vertex.secondary), (0x10_2030, 0xff_ffff));
    set.write(op::LTE, 0);
    assert_eq!(set.transform_floats(&FACING).secondary, 0);
}

#[test]
fn powered_diffuse() {
    let mut set = lit(2, 0);
    set.floats(op::LXP0, [0.75_f32.sqrt(), 0.0, 0.5]);
    set.float(op::SPOW, 2.0);
    assert!((0x3e..=0x40).contains(&(set.transform_floats(&FACING).colour & 0xff)));
    // An exponent of 0 makes 1 of everything, even from behind.
    set.float(op::SPOW, 0.0);
    set.floats(op::LXP0, [0.0, 0.0, -1.0]);
    assert_eq!(set.transform_floats(&FACING).colour, 0xff_ffff);
}

#[test]
fn alpha_comes_from_the_ambient_part() {
    let mut set = lit(0, 0);
    set.write(op::LTE0, 0);
    for (command, argument) in
        [(op::EMC, 0x01_0203), (op::AMC, 0xff_ff80), (op::AMA, 0x80), (op::ALC, 0x40_ff40), (op::ALA, 0x40)]
    {
        set.write(command, argument);
    }
    assert_eq!(set.transform_floats(&FACING).colour, 0x2041_ff23);
}

#[test]
fn vertices_without_colour_have_that_of_the_material() {
    for mode in [0, THROUGH] {
        let mut set = Set::new(POSITION | mode);
        set.write(op::AMC, 0x12_3456);
        set.write(op::AMA, 0x78);
        let vertex = set.transform_floats(&[0.0; 3]);
        assert_eq!((vertex.colour, vertex.fog), (0x7812_3456, 255));
    }
}

#[test]
fn bones_move_positions_and_normals_but_not_what_is_mapped() {
    let mut set = Set::new(1 << 9 | 1 << 14 | NORMAL | POSITION);
    set.matrices.bones[..12].copy_from_slice(&[2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.5, 0.0, 0.0]);
    set.matrices.bones[12..24].fill(0.0);
    let mut bytes = vec![64, 128, 0, 0];
    bytes.extend([0.0, 0.0, 0.25, 0.25, -0.5, 0.0_f32].iter().flat_map(|value| value.to_le_bytes()));
    set.write(op::TMAP, 1);
    let vertex = set.transform(&bytes);
    assert_eq!(vertex.clip, [0.5, -0.5, 0.0, 1.0]);
    assert_eq!(vertex.texture, [0.25, -0.5, 0.0]);
    set.write(op::TMAP, 1 | 3 << 8);
    assert_eq!(set.transform(&bytes).texture, [0.0, 0.0, 0.25]);
    set.write(op::TMAP, 1 | 2 << 8);
    set.write(op::RNORM, 1);
    assert_eq!(set.transform(&bytes).texture, [0.0, 0.0, -1.0]);
}

#[test]
fn coordinates_are_scaled_and_remembered() {
    let mut set = Set::new(POSITION);
    set.remembered = Remembered { texture: [0.5, 0.25], normal: [0.0, 1.0, 0.0] };
    for (command, value) in [(op::USCALE, 2.0), (op::VSCALE, -4.0), (op::UOFFSET, 0.125), (op::VOFFSET, 3.0)]
    {
        set.float(command, value);
    }
    assert_eq!(set.transform_floats(&[0.0; 3]).texture, [1.125, 2.0, 1.0]);
    set.write(op::TMAP, 1 | 1 << 8);
    assert_eq!(set.transform_floats(&[0.0; 3]).texture, [0.5, 0.25, 0.0]);
    set.write(op::TMAP, 1 | 3 << 8);
    assert_eq!(set.transform_floats(&[0.0; 3]).texture, [0.0, 1.0, 0.0]);
    set.write(op::VTYPE, POSITION | THROUGH);
    assert_eq!(set.transform_floats(&[0.0; 3]).texture, [0.5, 0.25, 1.0]);
    set.write(op::TME, 0);
    assert_eq!(set.transform_floats(&[0.0; 3]).texture, [0.0, 0.0, 1.0]);
}

#[test]
fn environment_maps_look_at_lights() {
    let mut set = Set::new(NORMAL | POSITION);
    set.write(op::TMAP, 2);
    set.write(op::TSHADE, 1 | 2 << 8);
    set.floats(op::LXP0 + 3, [0.0, 8.0, 0.0]);
    assert_eq!(set.transform_floats(&[0.0, 2.0, 0.0, 0.0, 0.0, 0.0]).texture, [1.0, 0.5, 1.0]);
    // Light 2 and a normal without length look along z.
    assert_eq!(set.transform_floats(&[0.0; 6]).texture, [0.5, 1.0, 1.0]);
}

#[test]
fn what_screens_do_not_take() {
    let set = Set::new(POSITION);
    let vertex = set.transform_floats(&[-0.5, 0.5, 0.0]);
    assert_eq!((vertex.x, vertex.y, vertex.z, vertex.outside), (16384, 49152, 32768, 0));
    assert_eq!(set.transform_floats(&[1.0, 0.0, 0.0]).outside, Outside::GUARD_BAND);
    let through = Set::new(POSITION | THROUGH);
    let vertex = through.transform_floats(&[-100.0, 5000.5, 70000.0]);
    assert_eq!((vertex.x, vertex.y, vertex.z, vertex.outside), (-1600, 80008, 65535, 0));
}

/// Whatever registers, matrices and records hold, vertices come out, and what stages are off says nothing.
#[test]
fn any_state_has_a_result() {
    let mut state = 1;
    let mut word = move || picaflor_pipeline::random::word(&mut state);
    let mut strange = 0;
    for _ in 0..20_000 {
        let mut set = Set::new(0);
        (0..=255).for_each(|command| set.write(command, word() >> 8));
        // Half of the floats are near 1.
        (op::XSCALE..=op::VOFFSET)
            .for_each(|command| set.write(command, word() >> 8 & 0x01_ffff | 0x3f_0000));
        set.matrices.world = std::array::from_fn(|_| f32::from_bits(word() & !0xff));
        set.matrices.bones = std::array::from_fn(|_| f32::from_bits(word() & !0xff));
        let bytes: Vec<u8> = (0..set.registers.vertex_type().stride()).map(|_| word() as u8).collect();
        let vertex = set.transform(&bytes);
        assert!((0..=0xffff).contains(&vertex.z));
        assert!(vertex.secondary >> 24 == 0);
        assert!(set.registers.is_on(op::TME) || vertex.texture == [0.0, 0.0, 1.0]);
        assert!(set.registers.is_on(op::FGE) || vertex.fog == 255);
        strange += u32::from(vertex.clip.iter().any(|c| !c.is_finite()));
    }
    assert!((1..20_000).contains(&strange));
}

/// 5.9, 4.3: truncation toward zero, and positions of any size.
#[test]
fn through_positions_are_truncated() {
    let set = Set::new(POSITION | THROUGH);
    let vertex = set.transform_floats(&[1.99, -1.99, 0.5]);
    assert_eq!((vertex.x, vertex.y, vertex.z), (31, -31, 0));
    let vertex = set.transform_floats(&[1e30, -1e30, f32::NAN]);
    assert_eq!((vertex.x, vertex.y, vertex.z), (i32::MAX, i32::MIN, 0));
}

/// Item 29: NaN in z while the z column of the matrices and ZSCALE are 0. Identity matrices mix z into no other
/// component, because their zeros absorb it.
#[test]
fn a_nan_in_z_stays_in_z() {
    let mut set = Set::new(POSITION);
    set.float(op::ZSCALE, 0.0);
    let vertex = set.transform_floats(&[-0.5, 0.5, f32::NAN]);
    assert_eq!((vertex.x, vertex.y, vertex.z), (16384, 49152, 32768));
    assert_eq!(vertex.outside & !Outside::BEHIND, 0);
    assert!(vertex.clip[2].is_nan());
    assert_eq!([vertex.clip[0], vertex.clip[1], vertex.clip[3]], [-0.5, 0.5, 1.0]);
}

/// 4.3: the texture coordinates and normal of the last index stay, as they were decoded.
#[test]
fn the_last_vertex_is_remembered() {
    let mut interpreter = Interpreter::new();
    let before = Remembered { texture: [7.0, 8.0], normal: [9.0, 10.0, 11.0] };
    let mut registers = Registers::default();
    registers.write(u32::from(op::VTYPE) << 24 | 1 | POSITION);
    let matrices = Matrices::default();
    let bytes = [[128, 64, 0, 0].as_slice(), &[0; 12], &[255, 0, 0, 0], &[0; 12]].concat();
    let mut after = |indices: &[u32]| {
        let batch = VertexBatch {
            registers: &registers,
            matrices: &matrices,
            remembered: before,
            records: GuestSlice::from_slice(&bytes),
            stride: 16,
            indices,
            memory: &NoMemory,
        };
        interpreter.remembered(&batch)
    };
    assert_eq!(after(&[]), before);
    assert_eq!(after(&[1, 0]), Remembered { texture: [1.0, 0.5], ..before });
    assert_eq!(after(&[0, 1]), Remembered { texture: [1.992_187_5, 0.0], ..before });
}

/// 6.2: only lights that are on; light 1 would add white.
#[test]
fn lights_that_are_off() {
    let mut set = lit(0, 0);
    set.write(op::DLC0, 0x10_2030);
    set.write(op::DLC0 + 3, 0xff_ffff);
    set.floats(op::LXP0 + 3, [0.0, 0.0, 1.0]);
    assert_eq!(set.transform_floats(&FACING).colour, 0x10_2030);
    set.write(op::LTE0 + 1, 1);
    assert_eq!(set.transform_floats(&FACING).colour, 0xff_ffff);
}

/// 6.2: half way between a light on x and the eye on z the cosine is 0.7071, B5 (6.5). Exponent 1 leaves it so.
#[test]
fn half_vectors_of_specular_light() {
    let mut set = lit(1, 0);
    set.floats(op::LXP0, [1.0, 0.0, 0.0]);
    set.float(op::SPOW, 1.0);
    assert_eq!(set.transform_floats(&FACING).colour, 0xb5_b5b5);
}

/// 6.2: the way to a point light begins at the vertex. From z = 3 to z = 5 are 2: half the light.
#[test]
fn distances_begin_at_the_vertex() {
    let mut set = lit(0, 1);
    set.floats(op::LXP0, [0.0, 0.0, 5.0]);
    set.floats(op::LCA0, [0.0, 1.0, 0.0]);
    assert_eq!(set.transform_floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 3.0]).colour & 0xff, 0x80);
}
