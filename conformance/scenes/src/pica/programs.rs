//! Vertex programs that several scenes use. All take position, normal, texture coordinates and colour as
//! `v0`-`v3`, the layout of [`Kit::mesh`](super::kit::Kit::mesh).

/// Position and colour.
pub const COLOUR: &str = include_str!("programs/colour.v.pica");
/// Position, colour and texture coordinates 0, 1 and 2, each the same.
pub const TEXTURED: &str = include_str!("programs/textured.v.pica");
/// Position, colour, normal quaternion, view and texture coordinates for fragment lighting.
pub const LIT: &str = include_str!("programs/lit.v.pica");
/// As [`LIT`], with texture coordinates 0 and their w from a projector.
pub const PROJECTED: &str = include_str!("programs/projected.v.pica");
/// Position, colour, and the reflected direction as texture coordinates 0 with w.
pub const MIRROR: &str = include_str!("programs/mirror.v.pica");
