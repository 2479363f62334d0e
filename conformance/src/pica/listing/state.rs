//! The state of a draw in words: targets, textures, combiners and tests.

use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::fog::FogMode;
use picaflor_pipeline::pica::regs::combiner::{CombinerOp, CombinerSource, STAGES};
use picaflor_pipeline::pica::regs::fragop::FragmentMode;
use picaflor_pipeline::pica::regs::geometry::Topology;
use picaflor_pipeline::pica::regs::texture::TextureType;
use std::fmt::Debug;

/// A setting: its name and its value.
pub type Item = (String, String);

/// All settings, in the order of the pipeline.
#[must_use]
pub fn summary(registers: &Registers) -> Vec<Item> {
    let mut items = vec![
        ("target".into(), target(registers)),
        ("vertices".into(), vertices(registers)),
        ("rasterizer".into(), rasterizer(registers)),
    ];
    items.extend((0..3).filter_map(|unit| texture(registers, unit)));
    if registers.texunit_config().enable3() {
        items.push(("texture 3".into(), "procedural".into()));
    }
    items.push(("lighting".into(), lighting(registers)));
    items.extend((0..STAGES).filter_map(|stage| combiner(registers, stage)));
    items.push(("fog".into(), fog(registers)));
    items.push(("output".into(), output(registers)));
    items
}

/// An identifier of the code in words: `OneMinusAlpha` is `one minus alpha`.
#[must_use]
pub fn words(name: impl Debug) -> String {
    let mut text = String::new();
    for letter in format!("{name:?}").chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

fn target(registers: &Registers) -> String {
    let dim = registers.framebuffer_dim();
    let colour = registers.colorbuffer_format().format();
    let depth = registers.depthbuffer_format().format();
    let access = |read: bool, write: bool| match (read, write) {
        (true, true) => "",
        (true, false) => " (read only)",
        (false, true) => " (write only)",
        (false, false) => " (unused)",
    };
    let colour_access =
        access(registers.colorbuffer_read().is_allowed(), registers.colorbuffer_write().is_allowed());
    let depth_access =
        access(registers.depthbuffer_read().is_allowed(), registers.depthbuffer_write().is_allowed());
    format!(
        "{}x{}, colour {colour:?} at {:#010x}{colour_access}, depth {depth:?} at {:#010x}{depth_access}{}",
        dim.width(),
        dim.height(),
        registers.colorbuffer_loc().address(),
        registers.depthbuffer_loc().address(),
        if registers.framebuffer_block32().block32() { ", blocks of 32" } else { "" },
    )
}

fn vertices(registers: &Registers) -> String {
    let topology = match registers.primitive_config().topology() {
        Topology::Geometry => "list (code 3)".into(),
        topology => words(topology),
    };
    let geometry = if registers.geostage_config().in_use() { ", geometry program" } else { "" };
    format!("triangle {topology}{geometry}")
}

fn rasterizer(registers: &Registers) -> String {
    let viewport = registers.viewport();
    let [x, y] = viewport.origin;
    let [width, height] = viewport.scale.map(|half| half * 2.0);
    let cull = decoded(registers, 0x040);
    let clip = if registers.user_clip_plane().is_some() { ", user clip plane" } else { "" };
    let scissor = match registers.raw(0x065) & 3 {
        1 | 3 => format!(", scissor {}", decoded(registers, 0x065)),
        _ => String::new(),
    };
    format!("viewport {width}x{height} at ({x}, {y}), {cull}{clip}{scissor}")
}

/// The fields of a register as a listing shows them.
fn decoded(registers: &Registers, id: u16) -> String {
    let fields = picaflor_pipeline::pica::regs::describe(id).fields;
    let show = |field: &picaflor_pipeline::bits::FieldInfo| {
        format!("{} {}", field.name.replace('_', " "), (field.show)(registers.raw(id)))
    };
    fields.iter().map(show).collect::<Vec<_>>().join(", ")
}

fn texture(registers: &Registers, unit: usize) -> Option<Item> {
    if !registers.texunit_config().enable(unit) {
        return None;
    }
    let (dim, param, lod) =
        (registers.texture_dim(unit), registers.texture_param(unit), registers.texture_lod(unit));
    let kind = if unit == 0 { param.kind() } else { TextureType::TwoD };
    let filter = |linear: bool| if linear { "linear" } else { "nearest" };
    let text = format!(
        "{}x{} {:?} at {:#010x}, {}, wrap {} / {}, mag {}, min {}, mip {}, levels {}-{}",
        dim.width(),
        dim.height(),
        registers.texture_type(unit).format(),
        registers.texture_address(unit).bytes(),
        texture_kind(kind),
        words(param.wrap_s()),
        words(param.wrap_t()),
        filter(param.mag_linear()),
        filter(param.min_linear()),
        filter(param.mip_linear()),
        lod.min_level(),
        lod.max_level(),
    );
    Some((format!("texture {unit}"), text))
}

const fn texture_kind(kind: TextureType) -> &'static str {
    match kind {
        TextureType::TwoD => "2D",
        TextureType::Cube => "cube map",
        TextureType::Shadow2D => "shadow map",
        TextureType::Projection => "projection",
        TextureType::ShadowCube => "shadow cube",
        TextureType::Disabled => "disabled",
    }
}

fn lighting(registers: &Registers) -> String {
    let is_on = !registers.lighting_disable().disabled();
    let state = match registers.num_lights().last() {
        _ if !is_on => "off".into(),
        0 => "1 light".into(),
        more => format!("{} lights", more + 1),
    };
    // Programs write both, and the machine goes by the other one.
    if registers.lighting_enable0().enable() == is_on { state } else { state + " (0x08f says otherwise)" }
}

/// A combiner stage; `None` if it only passes on its input.
fn combiner(registers: &Registers, stage: usize) -> Option<Item> {
    let (sources, operands) = (registers.combiner_source(stage), registers.combiner_operand(stage));
    let (ops, scale) = (registers.combiner_op(stage), registers.combiner_scale(stage));
    let [from_rgb, from_alpha] = [sources.rgb(), sources.alpha()].map(|from| named(stage, from));
    let colour: [String; 3] =
        std::array::from_fn(|i| argument(&from_rgb[i], &words(operands.rgb()[i]), "colour"));
    let alpha: [String; 3] =
        std::array::from_fn(|i| argument(&from_alpha[i], &words(operands.alpha()[i]), "alpha"));
    let rgb = scaled(operation(ops.rgb(), &colour), scale.rgb());
    let a = match (ops.rgb(), ops.alpha()) {
        (CombinerOp::Dot3Rgba, _) => operation(CombinerOp::Dot3Rgba, &colour),
        (_, CombinerOp::Dot3Rgb | CombinerOp::Dot3Rgba) => operation(CombinerOp::Unknown, &alpha),
        (_, op) => operation(op, &alpha),
    };
    let a = scaled(a, scale.alpha());
    if rgb == "previous" && a == "previous" {
        return None;
    }
    let constant = match uses_constant(registers, stage) {
        true => format!(", constant {:?}", registers.combiner_constant(stage).channels()),
        false => String::new(),
    };
    Some((format!("combiner {stage}"), format!("rgb = {rgb}, alpha = {a}{constant}")))
}

fn uses_constant(registers: &Registers, stage: usize) -> bool {
    let sources = registers.combiner_source(stage);
    sources.rgb().contains(&CombinerSource::Constant) || sources.alpha().contains(&CombinerSource::Constant)
}

/// The sources of a stage. Stage 0 has neither a previous result nor a buffer: arguments a and b take the source of c
/// instead of the previous result, and zeros instead of the buffer.
fn named(stage: usize, [a, b, c]: [CombinerSource; 3]) -> [String; 3] {
    if stage > 0 {
        return [a, b, c].map(words);
    }
    let first = |source| if source == CombinerSource::Previous { c } else { source };
    [first(a), first(b), c].map(|source| match source {
        CombinerSource::Previous | CombinerSource::Buffer => "zero".into(),
        known => words(known),
    })
}

/// A source and its operand; the operand is left out if it is the usual one.
fn argument(source: &str, operand: &str, usual: &str) -> String {
    if operand == usual { source.into() } else { format!("{operand} of {source}") }
}

fn operation(op: CombinerOp, [a, b, c]: &[String; 3]) -> String {
    match op {
        CombinerOp::Replace => a.clone(),
        CombinerOp::Modulate => format!("{a} * {b}"),
        CombinerOp::Add => format!("{a} + {b}"),
        CombinerOp::AddSigned => format!("{a} + {b} - 128"),
        CombinerOp::Interpolate => format!("mix({b}, {a}, {c})"),
        CombinerOp::Subtract => format!("{a} - {b}"),
        CombinerOp::Dot3Rgb => format!("dot3({a}, {b})"),
        CombinerOp::Dot3Rgba => format!("dot3 rgba({a}, {b})"),
        CombinerOp::MultiplyAdd => format!("{a} * {b} + {c}"),
        CombinerOp::AddMultiply => format!("({a} + {b}) * {c}"),
        CombinerOp::Unknown => "unknown operation".into(),
    }
}

/// Shift 3 is none (assumed).
fn scaled(text: String, shift: u8) -> String {
    if matches!(shift, 1 | 2) { format!("({text}) * {}", 1 << shift) } else { text }
}

fn fog(registers: &Registers) -> String {
    match registers.texenv_update_buffer().fog_mode() {
        FogMode::None => "off".into(),
        mode => words(mode),
    }
}

fn output(registers: &Registers) -> String {
    let operation = registers.colour_operation();
    if operation.mode() != FragmentMode::Normal {
        return words(operation.mode());
    }
    let mut parts = Vec::new();
    let (alpha, stencil) = (registers.alpha_test(), registers.stencil_test());
    if alpha.enable() {
        parts.push(format!("alpha test {} {}", words(alpha.func()), alpha.reference()));
    }
    if stencil.enable() && registers.depthbuffer_format().format().has_stencil() {
        parts.push(format!("stencil test {} {}", words(stencil.func()), stencil.reference()));
    }
    let mask = registers.depth_colour_mask();
    let depth = if mask.depth_test() { words(mask.depth_func()) } else { "off".into() };
    let write = if mask.depth_write() { "" } else { ", no depth write" };
    parts.push(format!("depth test {depth}{write}"));
    parts.push(blending(registers));
    if mask.colour_mask() != 15 {
        parts.push(format!("colour mask {:04b} (a b g r)", mask.colour_mask()));
    }
    parts.join(", ")
}

fn blending(registers: &Registers) -> String {
    if !registers.colour_operation().blend() {
        return format!("logic op {}", words(registers.logic_operation().op()));
    }
    let blend = registers.blend_func();
    let one = |equation: String, source: String, destination: String| {
        format!("{equation} ({source}, {destination})")
    };
    let rgb = one(words(blend.rgb_equation()), words(blend.rgb_source()), words(blend.rgb_destination()));
    let alpha =
        one(words(blend.alpha_equation()), words(blend.alpha_source()), words(blend.alpha_destination()));
    if rgb == alpha { format!("blend {rgb}") } else { format!("blend rgb {rgb}, alpha {alpha}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::pica::regs::combiner::{CombinerOps, CombinerSources};
    use picaflor_pipeline::pica::regs::texture::TextureDim;

    fn item(registers: &Registers, name: &str) -> Option<String> {
        summary(registers).into_iter().find(|(found, _)| found == name).map(|(_, text)| text)
    }

    #[test]
    fn names_in_words() {
        assert_eq!(words(CombinerSource::PrimaryLighting), "primary lighting");
        assert_eq!(words(FogMode::Fog), "fog");
    }

    #[test]
    fn stages_that_pass_on_are_left_out() {
        let mut registers = Registers::new();
        let pass = CombinerSources(0x0fff_0fff);
        for id in [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
            registers.set_raw(id, pass.0);
        }
        registers.set_raw(0x0c8, pass.with_rgb0(CombinerSource::Texture0).0);
        registers.set_raw(0x0ca, CombinerOps(0).with_rgb(CombinerOp::Modulate).0);
        assert_eq!(item(&registers, "combiner 0").as_deref(), Some("rgb = zero, alpha = zero"));
        let expected = "rgb = texture0 * previous, alpha = previous";
        assert_eq!(item(&registers, "combiner 1").as_deref(), Some(expected));
    }

    #[test]
    fn combiners_as_the_machine_takes_them() {
        let stage = |id: u16, sources: u32, ops: u32, scale: u32| {
            let mut registers = Registers::new();
            registers.set_raw(id, sources);
            registers.set_raw(id + 2, ops);
            registers.set_raw(id + 4, scale);
            item(&registers, if id == 0x0c0 { "combiner 0" } else { "combiner 1" }).unwrap()
        };
        // Stage 0: argument a is the previous result, c the constant or a texture.
        let text = stage(0x0c0, 0x030f_0e0f, 0, 0);
        assert_eq!(text, "rgb = constant, alpha = texture0, constant [0, 0, 0, 0]");
        // A dot product to all channels; one to alpha alone; a scale that is none.
        let text = stage(0x0c8, 0x0000_0043, 0x0000_0007, 0x0002_0003);
        assert_eq!(text, "rgb = dot3 rgba(texture0, texture1), alpha = (dot3 rgba(texture0, texture1)) * 4");
        let text = stage(0x0c8, 0, 0x0006_0000, 0);
        assert_eq!(text, "rgb = vertex colour, alpha = unknown operation");
    }

    #[test]
    fn lighting_and_stencil_as_the_machine_takes_them() {
        let text = |words: &[(u16, u32)], name| {
            let mut registers = Registers::new();
            words.iter().for_each(|&(id, word)| registers.set_raw(id, word));
            item(&registers, name).unwrap()
        };
        assert_eq!(text(&[(0x08f, 1), (0x1c2, 2)], "lighting"), "3 lights");
        assert_eq!(text(&[(0x1c2, 2)], "lighting"), "3 lights (0x08f says otherwise)");
        assert_eq!(text(&[(0x1c6, 1)], "lighting"), "off");
        assert_eq!(text(&[(0x08f, 1), (0x1c6, 1)], "lighting"), "off (0x08f says otherwise)");
        assert!(text(&[(0x105, 1), (0x116, 3)], "output").starts_with("stencil test"));
        assert!(!text(&[(0x105, 1), (0x116, 2)], "output").contains("stencil"));
    }

    #[test]
    fn only_textures_in_use() {
        let mut registers = Registers::new();
        registers.set_raw(0x080, 0b10);
        registers.set_raw(0x092, TextureDim(0).with_width(64).with_height(32).0);
        registers.set_raw(0x095, 0x1800_0000 >> 3);
        assert_eq!(item(&registers, "texture 0"), None);
        let text = item(&registers, "texture 1").unwrap();
        assert!(text.starts_with("64x32 Rgba8 at 0x18000000, 2D, wrap "), "{text}");
    }

    /// Any word in any register has a summary.
    #[test]
    fn any_state_can_be_told() {
        for word in [0, u32::MAX, 0x5555_5555, 0xaaaa_aaaa, 0x1234_5678] {
            let mut registers = Registers::new();
            (0..Registers::COUNT as u16).for_each(|id| registers.set_raw(id, word));
            assert!(summary(&registers).iter().all(|(name, text)| !name.is_empty() && !text.is_empty()));
        }
    }
}
