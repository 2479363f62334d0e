//! Inheritance: cases and probes take defaults from their group and file.

use super::{Case, Pixel};

impl Case {
    /// This case with the defaults of its group or file.
    #[must_use]
    pub fn on(&self, group: &Self) -> Self {
        let mut case = self.clone();
        for (name, words) in &group.write {
            case.write.entry(name.clone()).or_insert_with(|| words.clone());
        }
        for (name, colour) in &group.palette {
            case.palette.entry(name.clone()).or_insert(*colour);
        }
        case.tables.splice(0..0, group.tables.iter().cloned());
        case.memory.splice(0..0, group.memory.iter().cloned());
        case.probe = case.probe.on(&group.probe);
        case.target = case.target.or(group.target);
        case.colour_before = case.colour_before.or_else(|| group.colour_before.clone());
        case.depth_before = case.depth_before.or_else(|| group.depth_before.clone());
        case.sweep = case.sweep.or_else(|| group.sweep.clone());
        case.fill = case.fill.or(group.fill);
        case.mesh = case.mesh.or_else(|| group.mesh.clone());
        case.arrays = case.arrays.or(group.arrays);
        case.list = case.list.or_else(|| group.list.clone());
        case.state = match (&group.state, case.state) {
            (Some(before), Some(own)) => Some(format!("{before} {own}")),
            (before, own) => own.or_else(|| before.clone()),
        };
        case.transfer = case.transfer.or(group.transfer);
        case
    }

    /// Number of facts that it states.
    #[must_use]
    pub fn vectors(&self) -> usize {
        match &self.sweep {
            Some(_) => 256,
            None => self.pixels.len().max(1),
        }
    }
}

impl Pixel {
    /// This probe with the defaults of `base`.
    #[must_use]
    pub fn on(&self, base: &Self) -> Self {
        let Self { name, at, depth, w, colour, vertex, tc0, tc1, tc2, quaternion, view, dx, dy, .. } =
            self.clone();
        let base = base.clone();
        // A colour in one form replaces one in the other.
        let (mut shared_colour, mut shared_vertex) = (base.colour, base.vertex);
        if colour.is_some() || vertex.is_some() {
            (shared_colour, shared_vertex) = (None, None);
        }
        Self {
            name,
            at: at.or(base.at),
            depth: depth.or(base.depth),
            w: w.or(base.w),
            colour: colour.or(shared_colour),
            vertex: vertex.or(shared_vertex),
            tc0: tc0.or(base.tc0),
            tc1: tc1.or(base.tc1),
            tc2: tc2.or(base.tc2),
            quaternion: quaternion.or(base.quaternion),
            view: view.or(base.view),
            dx: dx.or(base.dx),
            dy: dy.or(base.dy),
            rgba: self.rgba.or(base.rgba),
            rgb: self.rgb.or(base.rgb),
            alpha: self.alpha.or(base.alpha),
            raw: self.raw.clone().or(base.raw),
            depth_after: self.depth_after.or(base.depth_after),
            depth_within: self.depth_within.or(base.depth_within),
            stencil_after: self.stencil_after.or(base.stencil_after),
        }
    }
}
