//! Channels of inputs that reach the result: only these are computed.
//!
//! Channels are bits, red lowest.

use super::{Argument, CombinerKey, Group, Select, Source, Stage};
use picaflor_pipeline::pica::regs::combiner::{CombinerOp, STAGES};

const RGB: u8 = 7;
const ALPHA: u8 = 8;

impl CombinerKey {
    /// Channels of the vertex colour that matter where these channels of the result do.
    pub(crate) fn vertex_channels(&self, result: u8) -> u8 {
        self.live(result).vertex
    }

    /// Channels of the procedural texture that matter where these channels of the result do.
    pub(crate) fn proctex_channels(&self, result: u8) -> u8 {
        self.live(result).proctex
    }

    fn live(&self, result: u8) -> Live {
        let mut live = Live { vertex: 0, proctex: 0, stages: [0; STAGES] };
        live.stage(&self.result, result);
        for (k, stage) in self.stages().iter().enumerate().rev() {
            live.stage(stage, live.stages[k]);
        }
        live
    }
}

/// Channels that matter.
struct Live {
    vertex: u8,
    proctex: u8,
    stages: [u8; STAGES],
}

impl Live {
    /// These channels of a stage matter.
    fn stage(&mut self, stage: &Stage, channels: u8) {
        for (group, own) in [(&stage.rgb, channels & RGB), (&stage.alpha, channels & ALPHA)] {
            let Some(group) = group.as_ref().filter(|_| own != 0) else { continue };
            group.used().iter().for_each(|argument| self.argument(argument, wanted(group, own)));
        }
    }

    /// These channels of an argument matter.
    fn argument(&mut self, argument: &Argument, own: u8) {
        let channels = match argument.select {
            Select::Own => own,
            Select::Red => 1,
            Select::Green => 2,
            Select::Blue => 4,
            Select::Alpha => ALPHA,
        };
        match argument.source {
            Source::Vertex => self.vertex |= channels,
            Source::Stage(k) => self.stages[usize::from(k)] |= channels,
            Source::Texture(3) => self.proctex |= channels,
            Source::Lighting(_) | Source::Texture(_) | Source::Constant => {}
        }
    }
}

/// Channels of a group's arguments that matter for these of its value.
const fn wanted(group: &Group, own: u8) -> u8 {
    if matches!(group.op, CombinerOp::Dot3Rgb) { RGB } else { own }
}
