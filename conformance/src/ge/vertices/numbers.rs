//! Random records and matrices.

use crate::random::Random;
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::number::{f24, t16};
use picaflor_pipeline::ge::stage::Remembered;
use picaflor_pipeline::ge::vertex_type::{Element, VertexType};

/// Styles of random numbers, from usual to exceptional.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ge) enum Style {
    /// Usual numbers of games.
    Usual,
    /// Of any size, and now and then special.
    Wide,
    /// So small that their products leave the range of doubles.
    Tiny,
    /// Any bits.
    Any,
}

impl Style {
    pub(in crate::ge) fn of(random: &mut Random) -> Self {
        random.weighted(&[(60, Self::Usual), (26, Self::Wide), (6, Self::Tiny), (8, Self::Any)])
    }
}

/// A single.
pub(in crate::ge) fn single(random: &mut Random, style: Style) -> f32 {
    let usual = |random: &mut Random| {
        let scale = random.pick(&[1.0_f32, 1.0, 2.0, 0.25, 8.0]);
        let fraction = random.pick(&[4_u32, 16, 256, 1 << 20]);
        let number = random.below(2 * fraction + 1) as f32 / fraction as f32 - 1.0;
        number * scale
    };
    match style {
        Style::Usual => usual(random),
        Style::Wide => match random.below(10) {
            0 => random.pick(&[
                0.0,
                -0.0,
                1.0,
                -1.0,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::NAN,
                1e-40,
                f32::MAX,
            ]),
            1..4 => f32::from_bits(random.word()),
            _ => usual(random) * random.pick(&[1.0, 100.0, 1e6, 1e-6, 1e15, 1e-15]),
        },
        Style::Tiny => usual(random) * f32::from_bits(1 << 15),
        Style::Any => f32::from_bits(random.word()),
    }
}

/// A single of 24 bits, as registers and matrices have it.
pub(in crate::ge) fn short_single(random: &mut Random, style: Style) -> f32 {
    f24(single(random, style).to_bits() >> 8)
}

/// So many records: any bytes, but that floats are as the style wants them.
pub(in crate::ge) fn records(
    random: &mut Random,
    style: Style,
    vertex_type: VertexType,
    count: u32,
) -> Vec<u8> {
    let layout = vertex_type.layout();
    let mut bytes: Vec<u8> = (0..vertex_type.stride() * count).map(|_| random.word() as u8).collect();
    let components = [
        (vertex_type.weights(), layout.weights, vertex_type.weight_count()),
        (vertex_type.texture(), layout.texture, 2),
        (vertex_type.normal(), layout.normal, 3),
        (vertex_type.position(), layout.position, 3),
    ];
    for record in 0..vertex_type.morph_count() * count {
        for (element, offset, numbers) in components {
            let at = (record * layout.record_bytes + offset) as usize;
            if element != Element::Word {
                // Now and then zeros.
                if random.chance(5) {
                    bytes[at..at + (numbers * element.bytes()) as usize].fill(0);
                }
                continue;
            }
            for n in 0..numbers as usize {
                let number = single(random, style);
                bytes[at + 4 * n..at + 4 * n + 4].copy_from_slice(&number.to_le_bytes());
            }
        }
    }
    bytes
}

/// All matrices; in the usual style a perspective that shows most of the near vertices.
pub(in crate::ge) fn matrices(random: &mut Random, style: Style) -> Matrices {
    let mut matrices = Matrices::default();
    let mut fill = |to: &mut [f32]| to.iter_mut().for_each(|number| *number = short_single(random, style));
    fill(&mut matrices.bones);
    fill(&mut matrices.world);
    fill(&mut matrices.view);
    fill(&mut matrices.projection);
    fill(&mut matrices.texture);
    if style == Style::Usual && random.chance(60) {
        matrices.projection =
            [1.5, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, -1.125, -1.0, 0.0, 0.0, -2.125, 0.0];
        matrices.view = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -4.0];
    }
    matrices
}

/// Now and then makes matrices simpler, as games have them: a projection without skew, a view or a world that changes
/// nothing, a world without rotation. Zeros have either sign.
pub(in crate::ge) fn simplify(random: &mut Random, matrices: &mut Matrices) {
    const IDENTITY: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    if random.chance(50) {
        for (n, element) in matrices.projection.iter_mut().enumerate() {
            // A projection in perspective, but for one element now and then.
            if !matches!(n, 0 | 5 | 10 | 11 | 14) && random.below(100) != 0 {
                *element = random.pick(&[0.0, 0.0, 0.0, -0.0]);
            }
        }
    }
    for matrix in [&mut matrices.view, &mut matrices.world] {
        if random.chance(30) {
            *matrix =
                IDENTITY.map(|element| if element == 0.0 { random.pick(&[0.0, -0.0]) } else { element });
        }
    }
    if random.chance(40) {
        for n in [1, 2, 3, 5, 6, 7] {
            // But for one element now and then.
            if random.below(50) != 0 {
                matrices.world[n] = random.pick(&[0.0, -0.0]);
            }
        }
    }
}

/// Values that a batch before may have left.
pub(in crate::ge) fn remembered(random: &mut Random, style: Style) -> Remembered {
    let mut number = || t16(f64::from(single(random, style)));
    Remembered { texture: [number(), number()], normal: [number(), number(), number()] }
}
