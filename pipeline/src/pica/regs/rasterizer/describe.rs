//! The register table 0x040-0x07F.
//!
//! Source: pica-geometry.md 2.2.

use super::{
    DepthMap, EarlyDepth, EarlyDepthData, EarlyDepthSwitch, FaceCulling, FlatColour, Float24, OutattrClock,
    OutattrMode, Outmap, OutmapTotal, PixelSkip, RenderBufferSize, ScissorCorner, ScissorTest, UserClip,
    ViewportInverse, ViewportOrigin,
};
use crate::bits::FieldInfo;
use crate::pica::regs::{Class, Description};

/// A register without a name whose implemented bits were measured (gbatek).
fn undocumented(id: u16, implemented: u32, fields: &'static [FieldInfo]) -> Description {
    Description { fields, ..Description::unnamed(id, Class::Undocumented) }.implemented(implemented)
}

pub(in crate::pica::regs) fn describe(id: u16) -> Description {
    match id {
        0x040..=0x04e => describe_setup(id),
        0x04f..=0x05f => describe_outmap(id),
        0x070..=0x07f => Description::unnamed(id, Class::Mirror),
        _ => describe_raster(id),
    }
}

fn describe_setup(id: u16) -> Description {
    let new = |name: &'static str, fields| Description::new(name, fields);
    match id {
        0x040 => new("FACECULLING_CONFIG", FaceCulling::FIELDS),
        0x041 => new("VIEWPORT_WIDTH", Float24::FIELDS),
        0x042 => new("VIEWPORT_INVW", ViewportInverse::FIELDS),
        0x043 => new("VIEWPORT_HEIGHT", Float24::FIELDS),
        0x044 => new("VIEWPORT_INVH", ViewportInverse::FIELDS),
        0x045 | 0x046 => undocumented(id, 0x00ff_ffff, &[]),
        0x047 => new("FRAGOP_CLIP", UserClip::FIELDS),
        0x048..=0x04b => Description::new(format!("FRAGOP_CLIP_DATA{}", id - 0x048), Float24::FIELDS),
        0x04c => undocumented(id, 1, &[]),
        0x04d => new("DEPTHMAP_SCALE", Float24::FIELDS),
        _ => new("DEPTHMAP_OFFSET", Float24::FIELDS),
    }
}

fn describe_outmap(id: u16) -> Description {
    match id {
        0x04f => Description::new("SH_OUTMAP_TOTAL", OutmapTotal::FIELDS),
        0x050..=0x056 => Description::new(format!("SH_OUTMAP_O{}", id - 0x050), Outmap::FIELDS),
        0x058 => undocumented(id, 0x0000_0101, FlatColour::FIELDS),
        0x059 => undocumented(id, 1, &[]),
        0x05a..=0x05c => Description::unnamed(id, Class::Status).implemented(0),
        _ => Description::unnamed(id, Class::Zero).implemented(0),
    }
}

fn describe_raster(id: u16) -> Description {
    let new = |name: &'static str, fields| Description::new(name, fields);
    match id {
        0x060 => undocumented(id, 0x0000_0301, PixelSkip::FIELDS),
        0x061 => new("EARLYDEPTH_FUNC", EarlyDepth::FIELDS),
        0x062 => new("EARLYDEPTH_TEST1", EarlyDepthSwitch::FIELDS),
        0x063 => new("EARLYDEPTH_CLEAR", EarlyDepthSwitch::FIELDS).class(Class::Trigger).implemented(0),
        0x064 => new("SH_OUTATTR_MODE", OutattrMode::FIELDS),
        0x065 => new("SCISSORTEST_MODE", ScissorTest::FIELDS),
        0x066 => new("SCISSORTEST_POS", ScissorCorner::FIELDS),
        0x067 => new("SCISSORTEST_DIM", ScissorCorner::FIELDS),
        0x068 => new("VIEWPORT_XY", ViewportOrigin::FIELDS),
        0x069 => undocumented(id, 0xffff_0001, &[]),
        0x06a => new("EARLYDEPTH_DATA", EarlyDepthData::FIELDS),
        0x06b => undocumented(id, 0x0000_0fff, &[]),
        0x06d => new("DEPTHMAP_ENABLE", DepthMap::FIELDS),
        0x06e => new("RENDERBUF_DIM", RenderBufferSize::FIELDS).reset(0x0100_0000),
        0x06f => new("SH_OUTATTR_CLOCK", OutattrClock::FIELDS),
        _ => Description::unnamed(id, Class::Undocumented),
    }
}
