//! Pending vertices in snapshots.

use crate::ge::raster::Shape;
use crate::ge::stage::primitive::{Kind, PendingVertices};
use crate::ge::vertex::Vertex;
use crate::persist::Words;

/// Maximum number of pending vertices.
const PENDING: usize = 2;

/// Saves or restores pending vertices.
pub(crate) fn persist(pending: &mut PendingVertices, words: &mut Words) {
    let mut code = pending.kind.map_or(7, |kind| kind as u32);
    words.word(&mut code);
    pending.kind = Kind::of(code);
    words.flag(&mut pending.is_odd);
    let mut count = pending.vertices.len();
    words.count(&mut count, PENDING);
    pending.vertices.resize(count, Vertex::EMPTY);
    pending.vertices.iter_mut().for_each(|vertex| persist_vertex(vertex, words));
    // A damaged snapshot may hold more vertices than the primitive leaves pending.
    let most = pending.kind.map_or(0, |kind| vertices_of(kind.shape()) - 1);
    pending.vertices.truncate(most);
}

/// Number of vertices of a shape.
const fn vertices_of(shape: Shape) -> usize {
    match shape {
        Shape::Point => 1,
        Shape::Line | Shape::Rectangle => 2,
        Shape::Triangle => 3,
    }
}

fn persist_vertex(vertex: &mut Vertex, words: &mut Words) {
    words.doubles(vertex.clip.iter_mut().chain(&mut vertex.texture));
    for value in [&mut vertex.x, &mut vertex.y, &mut vertex.z] {
        let mut bits = *value as u32;
        words.word(&mut bits);
        *value = bits as i32;
    }
    words.words([&mut vertex.colour, &mut vertex.secondary]);
    words.byte(&mut vertex.fog);
    words.byte(&mut vertex.outside);
    *vertex = vertex.with_stored_depth();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(pending: &mut PendingVertices) -> Vec<u32> {
        let mut words = Words::save();
        persist(pending, &mut words);
        words.into_words()
    }

    /// Engines may differ in which NaN a vertex has.
    #[test]
    fn states_do_not_tell_one_nan_from_another() {
        let saved = |bits: u64| {
            let nan = f64::from_bits(bits);
            let vertex = Vertex { clip: [1.0, nan, 2.0, 1.0], texture: [nan, 0.5, 1.0], ..Vertex::EMPTY };
            saved(&mut PendingVertices { kind: Kind::of(3), vertices: vec![vertex], is_odd: false })
        };
        let [first, second] = [saved(0x7ff8_0000_0000_0000), saved(0xfff8_0000_0000_1234)];
        assert!(first.contains(&0x7ff8_0000));
        assert_eq!(first, second);
        assert_ne!(first, saved(3.0_f64.to_bits()));
    }

    #[test]
    fn pending_vertices_return() {
        for code in 0..8 {
            for count in 0..3 {
                let vertices = vec![Vertex { x: 7, colour: 9, ..Vertex::EMPTY }; count];
                let mut pending = PendingVertices { kind: Kind::of(code), vertices, is_odd: count == 1 };
                let mut restored = PendingVertices::default();
                let mut words = Words::load(saved(&mut pending));
                persist(&mut restored, &mut words);
                assert!(words.is_complete());
                let most = [0, 1, 1, 2, 2, 2, 1, 0][code as usize];
                pending.vertices.truncate(most);
                assert_eq!(restored, pending, "type {code}");
            }
        }
    }
}
