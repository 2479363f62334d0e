use super::*;
use crate::ge::vertex::decode::{ModelVertex, decode};
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::stage::primitive::Kind;
use picaflor_pipeline::ge::stage::{Remembered, VertexBatch};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{Memory, NoMemory};
use std::cell::Cell;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Colour and position in floats, through mode.
const THROUGH: u32 = 7 << 2 | 3 << 7 | 1 << 23;

fn registers(vertex_type: u32, divisions: [u32; 2], pprim: u32) -> Registers {
    let mut registers = Registers::default();
    registers.write(u32::from(op::VTYPE) << 24 | vertex_type);
    registers.write(u32::from(op::PSUB) << 24 | divisions[0] | divisions[1] << 8);
    registers.write(u32::from(op::PPRIM) << 24 | pprim);
    registers
}

fn with_batch<T>(registers: &Registers, bytes: &[u8], test: impl Fn(&VertexBatch<'_>) -> T) -> T {
    let stride = registers.vertex_type().stride();
    let indices: Vec<u32> = (0..bytes.len() as u32 / stride).collect();
    test(&VertexBatch {
        registers,
        matrices: &Matrices::default(),
        remembered: Remembered::default(),
        records: GuestSlice::from_slice(bytes),
        stride,
        indices: &indices,
        memory: &NoMemory,
    })
}

fn bezier(points: &VertexBatch<'_>, controls: [usize; 2]) -> Option<Patches> {
    of(points, controls, SurfaceKind::Bezier)
}

fn spline(points: &VertexBatch<'_>, controls: [usize; 2], edges: [u32; 2]) -> Option<Patches> {
    of(points, controls, SurfaceKind::Spline(edges))
}

fn of(&points: &VertexBatch<'_>, controls: [usize; 2], kind: SurfaceKind) -> Option<Patches> {
    Patches::of(&SurfaceBatch { points, controls, kind })
}

/// The control points of the measured samples (7.7.1), with `rows` rows.
fn controls(rows: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for row in 0..rows {
        for x in [210.0_f32, 220.0, 230.0, 240.0] {
            let green = if row == 0 { 0 } else { 0xff };
            bytes.extend([0, green, 0, 0xff]);
            let y = [10.0_f32, 30.0, 35.0, 40.0][row % 4];
            bytes.extend([x, y, 0.0].map(f32::to_le_bytes).concat());
        }
    }
    bytes
}

/// All pieces.
fn pieces(mut surface: Patches) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut piece = Piece::default();
    while surface.next_piece(&mut piece) {
        pieces.push(piece.clone());
    }
    pieces
}

/// Number of different vertices of all pieces: those of shared rows count once.
fn different(surface: Patches) -> u64 {
    let places = |axes: &[Vec<Sample>]| axes.iter().map(|axis| axis.len() as u64).sum::<u64>();
    places(&surface.across) * places(&surface.down)
}

/// The vertices of a piece.
fn vertices(surface: &Patches, piece: &Piece) -> Vec<ModelVertex> {
    with_batch(surface.registers(), &piece.records, |batch| {
        assert_eq!(batch.indices.len() as u32, piece.vertices);
        batch.indices.iter().map(|&n| decode(batch, surface.registers().vertex_type(), n)).collect()
    })
}

/// Columns 210, 217, 225, 232, 240, rows 10, 22, 30, 36, 40, green 00, 94, E0, FC, FF.
#[test]
fn measured_samples() {
    let registers = registers(THROUGH, [4, 4], 2);
    let surfaces =
        with_batch(&registers, &controls(4), |batch| [bezier(batch, [4, 4]), spline(batch, [4, 4], [3, 3])]);
    for surface in surfaces.map(Option::unwrap) {
        let pieces = pieces(surface.clone());
        assert_eq!((pieces.len(), pieces[0].vertices), (1, 25));
        let vertices = vertices(&surface, &pieces[0]);
        for (n, vertex) in vertices.iter().enumerate() {
            assert_eq!(vertex.position[0].floor(), [210.0, 217.0, 225.0, 232.0, 240.0][n % 5]);
            assert_eq!(vertex.position[1].floor(), [10.0, 22.0, 30.0, 36.0, 40.0][n / 5]);
            let green = [0, 0x94, 0xe0, 0xfc, 0xff][n / 5];
            assert_eq!(vertex.colour, Some(0xff00_0000 | green << 8));
            assert_eq!(vertex.texture, Some([(n % 5) as f64 / 4.0, (n / 5) as f64 / 4.0]));
        }
    }
}

#[test]
fn patches_share_their_borders() {
    let registers = registers(THROUGH, [0, 2], 0);
    let counts = |rows: usize| {
        with_batch(&registers, &controls(rows), |batch| {
            bezier(batch, [4, rows]).map(|surface| pieces(surface).iter().map(|p| p.vertices).collect())
        })
    };
    assert_eq!([2, 3].map(counts), [const { None::<Vec<u32>> }; 2]);
    assert_eq!(
        [4, 6, 7, 8, 10].map(counts),
        [vec![6], vec![6], vec![6; 2], vec![6; 2], vec![6; 3]].map(Some)
    );
    let second = with_batch(&registers, &controls(7), |batch| {
        let surface = bezier(batch, [4, 7]).unwrap();
        let piece = pieces(surface.clone()).remove(1);
        vertices(&surface, &piece)[0]
    });
    assert_eq!((second.position, second.texture), ([210.0, 40.0, 0.0], Some([0.0, 1.0])));
}

#[test]
fn elements_of_cells() {
    let indices = |pprim| {
        with_batch(&registers(THROUGH, [2, 1], pprim), &controls(4), |batch| {
            pieces(bezier(batch, [4, 4]).unwrap()).remove(0).indices
        })
    };
    let triangles = [0, 3, 1, 1, 3, 4, 1, 4, 2, 2, 4, 5];
    assert_eq!(indices(0), triangles);
    assert_eq!((indices(2), indices(3)), (triangles.to_vec(), triangles.to_vec()));
    assert_eq!(indices(1), [0, 3, 1, 4, 1, 3, 1, 4, 2, 5, 2, 4]);
    let kinds = [Kind::Triangles, Kind::Lines, Kind::Points, Kind::Points];
    assert_eq!([0, 1, 2, 3].map(|n| registers(0, [0, 0], n).patch_primitive().kind()), kinds);
}

/// Positions as floats in normal mode, a plane.
fn plane(vertex_type: u32, extra: usize) -> (Registers, Vec<u8>) {
    let mut bytes = Vec::new();
    for n in 0..16 {
        bytes.extend(vec![0; extra]);
        bytes.extend([(n % 4) as f32, (n / 4) as f32, 0.0].map(f32::to_le_bytes).concat());
    }
    (registers(vertex_type, [1, 1], 0), bytes)
}

#[test]
fn normals_stand_on_the_surface() {
    let normals = |registers: &Registers, bytes: &[u8]| {
        with_batch(registers, bytes, |batch| {
            let surface = bezier(batch, [4, 4]).unwrap();
            let piece = pieces(surface.clone()).remove(0);
            // The length is not quite 1: its reciprocal is truncated.
            let normal = |vertex: &ModelVertex| vertex.normal.unwrap().map(|c| (c * 1024.0).round() / 1024.0);
            vertices(&surface, &piece).iter().map(normal).collect::<Vec<_>>()
        })
    };
    let (mut bare, bytes) = plane(3 << 7, 0);
    bare.write(u32::from(op::PFACE) << 24 | 1);
    assert_eq!(normals(&bare, &bytes), [[0.0, 0.0, 1.0]; 4]);
    let (mut with_normals, bytes) = plane(3 << 5 | 3 << 7, 12);
    assert_eq!(normals(&with_normals, &bytes), [[0.0, 0.0, 1.0]; 4]);
    with_normals.write(u32::from(op::PFACE) << 24 | 1);
    assert_eq!(normals(&with_normals, &bytes), [[0.0, 0.0, -1.0]; 4]);
}

#[test]
fn large_surfaces_come_in_pieces() {
    let registers = registers(3 << 7, [127, 127], 0);
    let bytes = vec![0; 12 * 255 * 4];
    with_batch(&registers, &bytes, |batch| {
        let mut surface = spline(batch, [255, 4], [0, 0]).unwrap();
        let columns = 252 * 127 + 1;
        let (mut pieces, mut cells, mut piece) = (0, 0, Piece::default());
        while pieces < 3 && surface.next_piece(&mut piece) {
            assert_eq!(piece.vertices, 2 * columns);
            assert!(piece.indices.iter().all(|&n| n < piece.vertices));
            (pieces, cells) = (pieces + 1, cells + piece.indices.len() / 6);
        }
        assert_eq!((pieces, cells), (3, 3 * 252 * 127));
        assert!(spline(batch, [255, 5], [0, 0]).is_none());
    });
}

/// A memory of a run that ends after so many questions.
struct Ending(AtomicU32);

impl Memory for Ending {
    fn region(&self, _: u32, _: u32) -> Option<GuestSlice<'_>> {
        None
    }

    fn is_stopping(&self) -> bool {
        self.0.try_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// Two rows of 32,005 vertices: nobody does much more than a row after the end, and what comes after an early end is right.
#[test]
fn surfaces_end_with_their_run() {
    let registers = registers(3 << 7, [127, 1], 0);
    let bytes = controls(4).repeat(64)[..12 * 255 * 4].to_vec();
    with_batch(&registers, &bytes, |batch| {
        let whole = pieces(spline(batch, [255, 4], [3, 3]).unwrap()).remove(0);
        let mut surface = spline(batch, [255, 4], [3, 3]).unwrap();
        let mut piece = Piece::default();
        for questions in 0..5_u32 {
            let (left, asked) = (Cell::new(questions), Cell::new(0_u32));
            let is_over = || {
                asked.set(asked.get() + 1);
                left.replace(left.get().saturating_sub(1)) == 0
            };
            assert!(!surface.next_piece_unless(&is_over, &mut piece), "{questions}");
            assert_eq!(asked.get(), questions + 1);
        }
        assert!(surface.next_piece(&mut piece) && piece == whole);
        assert!(!surface.next_piece(&mut piece));
        // Seven questions between positions along u, then four between control points.
        for questions in 0..11 {
            let memory = Ending(AtomicU32::new(questions));
            let kind = SurfaceKind::Spline([3, 3]);
            let points = VertexBatch { memory: &memory, ..*batch };
            let batch = SurfaceBatch { points, controls: [255, 4], kind };
            assert_eq!(Patches::of(&batch).is_none(), questions < 7, "{questions}");
            assert_eq!(memory.0.into_inner(), 0);
        }
    });
}

/// The numbers by which the machine limits surfaces.
#[test]
fn numbers_of_vertices() {
    let cases = [
        ([4, 4], [4, 4], 5 * 5, 5 * 5),
        ([1, 3], [4, 7], 2 * 8, 2 * 13),
        ([0, 5], [4, 9], 2 * 12, 2 * 31),
        ([7, 2], [4, 12], 8 * 9, 8 * 19),
    ];
    for (divisions, [u, v], of_bezier, of_spline) in cases {
        with_batch(&registers(THROUGH, divisions, 0), &controls(v), |batch| {
            let bezier = bezier(batch, [u, v]).map(different);
            let spline = spline(batch, [u, v], [1, 2]).map(different);
            assert_eq!((bezier, spline), (Some(of_bezier), Some(of_spline)), "{divisions:?} {u} {v}");
        });
    }
    with_batch(&registers(3 | 1 << 23, [4, 4], 0), &[0; 81 * 8], |batch| {
        assert!(bezier(batch, [4, 4]).is_none() && spline(batch, [9, 9], [0; 2]).is_none());
    });
}

#[test]
fn ceilings_of_colours() {
    assert_eq!(ceilings(Four([-0.5, 0.0, 1e-9, 254.0])), [0, 0, 1, 254]);
    assert_eq!(ceilings(Four([254.000_001, 255.0, 1e30, f64::NAN])), [255, 255, 255, 0]);
    assert_eq!(ceilings(Four([127.5, 128.499, -1e30, f64::INFINITY])), [128, 129, 0, 255]);
}
