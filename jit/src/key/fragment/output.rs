//! What tests, blending and the write are specialised on.

use crate::error::CompileError;
use picaflor_pipeline::pica::regs::fragop::FragmentMode;
use picaflor_pipeline::pica::regs::framebuffer::DepthFormat;
use picaflor_pipeline::pica::regs::{CompareFunc, Registers};
use picaflor_pipeline::pica::texel::ColourFormat;

/// From the combiners' colour to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct OutputKey {
    pub(crate) colour_format: ColourFormat,
    pub(crate) depth_format: DepthFormat,
    /// `Always` without a depth test.
    pub(crate) depth_func: CompareFunc,
    pub(crate) writes_depth: bool,
}

impl OutputKey {
    pub(crate) fn of(registers: &Registers) -> Result<Self, CompileError> {
        let unknown = |what| Err(CompileError::UnknownState { what });
        let mode = registers.colour_operation();
        let mask = registers.depth_colour_mask();
        let plain = registers.raw(0x100) & 0x0300_0103 == 0 && mode.mode() == FragmentMode::Normal;
        if !plain || registers.raw(0x102) & 15 != 3 || mask.0 >> 8 & 15 != 15 {
            return unknown("output");
        }
        if registers.raw(0x104) & 1 != 0 || registers.raw(0x105) & 1 != 0 || registers.raw(0x0e0) & 7 != 0 {
            return unknown("tests");
        }
        let allowed = [0x112, 0x113].into_iter().all(|id| registers.raw(id) & 15 != 0)
            && [0x114, 0x115].into_iter().all(|id| registers.raw(id) & 3 != 0);
        let (colour_format, depth_format) =
            (registers.colorbuffer_format().format(), registers.depthbuffer_format().format());
        if !allowed || colour_format != ColourFormat::Rgba8 || depth_format != DepthFormat::D24S8 {
            return unknown("buffers");
        }
        Ok(Self {
            colour_format,
            depth_format,
            depth_func: if mask.0 & 1 != 0 {
                CompareFunc::ALL[(mask.0 >> 4 & 7) as usize]
            } else {
                CompareFunc::Always
            },
            writes_depth: mask.0 >> 12 & 1 != 0,
        })
    }

    pub(crate) const fn needs_colour(&self) -> bool {
        true
    }

    pub(crate) const fn tests_alpha(&self) -> bool {
        false
    }

    pub(crate) fn reads_depth(&self) -> bool {
        self.writes_depth || self.depth_func != CompareFunc::Always
    }

    pub(crate) const fn colour_bytes(&self) -> u32 {
        4
    }

    pub(crate) fn depth_bytes(&self) -> u32 {
        if self.reads_depth() { self.depth_format.bytes() } else { 0 }
    }
}

impl std::fmt::Display for OutputKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:?}.{:?}.{:?}{}",
            self.colour_format,
            self.depth_format,
            self.depth_func,
            if self.writes_depth { "w" } else { "" }
        )
    }
}
