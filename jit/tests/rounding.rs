//! Fast code where it is most delicate: values whose products, sums and quotients lie at the ends of the
//! 24-bit range, signed zeros, and lengths that are nearly lost to underflow, in random programs.

use crate::common::{Random, Scene, blocking};
use picaflor_jit::Served;
use picaflor_pipeline::pica::float::Precision;

/// A register value with 16 mantissa bits whose exponent is within `exponents`, or a zero.
fn value(random: &mut Random, (low, high): (i32, i32)) -> f32 {
    let sign = (random.below(2)) << 31;
    if random.below(12) == 0 {
        return f32::from_bits(sign);
    }
    let exponent = low + random.below((high - low + 1) as u32) as i32;
    let mantissa = match random.below(4) {
        0 => 0,
        1 => 0xffff,
        _ => random.below(0x1_0000),
    };
    f32::from_bits(sign | ((exponent + 127) as u32) << 23 | mantissa << 7)
}

fn swizzle(random: &mut Random) -> String {
    if random.below(2) == 0 {
        return "xyzw".into();
    }
    (0..4).map(|_| *random.pick(&[&'x', &'y', &'z', &'w'])).collect()
}

fn source(random: &mut Random, files: &[&str]) -> String {
    let sign = if random.below(4) == 0 { "-" } else { "" };
    let register = match random.pick(files) {
        "c" => format!("c{}", random.below(6)),
        "v" => format!("v{}", random.below(2)),
        _ => format!("r{}", random.below(5)),
    };
    format!("{sign}{register}.{}", swizzle(random))
}

fn line(random: &mut Random) -> String {
    let masks = ["xyzw", "xyzw", "xyz", "x", "y", "zw", "xw"];
    let destination = format!("r{}.{}", random.below(5), random.pick(&masks));
    let wide = source(random, &["c", "v", "r", "r"]);
    let narrow = source(random, &["v", "r", "r"]);
    let own = format!("r{}", random.below(5));
    match random.below(20) {
        0..=2 => format!("mul {destination}, {wide}, {narrow}"),
        3..=4 => format!("add {destination}, {wide}, {narrow}"),
        5 => format!("mov {destination}, {wide}"),
        6 => format!("max {destination}, {wide}, {narrow}"),
        7 => format!("min {destination}, {wide}, {narrow}"),
        8 => format!("mad {destination}, {narrow}, {wide}, {}", source(random, &["v", "r"])),
        9 => format!("dp3 {destination}, {own}, {own}"),
        10 => format!("dp4 {destination}, {own}, {own}"),
        11 => format!("rsq {destination}, {wide}"),
        12 => format!("dp3 r4, {own}, {own}\nrsq r4, r4.x\nmul {own}, {own}, r4"),
        13 => format!("dp4 r4, {own}, {own}\nrsq r4.w, r4.x\nmul {own}, r4.w, -{own}"),
        14 => format!("rcp {destination}, {wide}"),
        15 => format!("flr {destination}, {wide}"),
        16 => format!("dph {destination}, {wide}, {narrow}"),
        17 => format!("{} {destination}, {wide}, {narrow}", random.pick(&["sge", "slt", "dst", "dp4"])),
        18 => format!("{} {destination}, {wide}", random.pick(&["litp", "ex2", "lg2"])),
        _ => format!("mul {own}, {own}, {own}"),
    }
}

/// Lines that a loop or a branch encloses, so that values go from node to node.
fn block(random: &mut Random) -> String {
    let lines: Vec<String> = (0..1 + random.below(4)).map(|_| line(random)).collect();
    let compare = format!("cmp {}, gt, le, {}", source(random, &["c", "r"]), source(random, &["v", "r"]));
    let (lines, id) = (lines.join("\n"), random.below(2));
    match random.below(6) {
        0 => format!("for i{id}\n{lines}\nnop\n.end"),
        1 => format!("for i{id}\n{compare}\n{lines}\nbreakc !cmp.x\n{}\nnop\n.end", line(random)),
        2 => format!("{compare}\nifc cmp.x || !cmp.y\n{lines}\n.else\n{}\n.end", line(random)),
        3 => format!("{compare}\nifc cmp.y\n{lines}\nnop\n.end"),
        // What the branch copies is read in the next round.
        _ => {
            let copied = source(random, &["c", "v", "r"]);
            let copy = format!("{compare}\nifc !cmp.x\nmov r{}, {copied}\nnop\nnop\n.end", random.below(5));
            format!("for i1\n{lines}\n{copy}\nnop\n.end")
        }
    }
}

fn scene(random: &mut Random, lines: usize) -> (Scene, String) {
    let mut text: Vec<String> =
        (0..5).map(|n| format!("mov r{n}, {}", source(random, &["c", "v"]))).collect();
    let blocks = random.below(2) == 0;
    for _ in 0..lines {
        let lines = if blocks && random.below(4) == 0 { block(random) } else { line(random) };
        text.push(lines);
    }
    // Results as bits, and by comparisons, which look at them in their other form.
    text.push("mov o0, r0\nmov o1, r1\nadd o2, r2, r3\nmax o3, r3, r4\nend".into());
    let text = text.join("\n");
    let mut scene = Scene::new(&text);
    let ranges = [(-4, 4), (-40, 12), (-62, 12), (-33, -29), (-62, -58), (-2, 14), (-21, -19), (8, 12)];
    let range = ranges[random.below(ranges.len() as u32) as usize];
    let vertices: Vec<_> = (0..8).map(|_| [(); 2].map(|()| [(); 4].map(|()| value(random, range)))).collect();
    scene.floats(&vertices);
    // A group of one vertex each, so that few are replayed.
    scene.indices = (0..8).flat_map(|n| [n; 4]).collect();
    // One loop that is unrolled, and one that is too long for that.
    scene.uniforms.set_int(0, [2, 0, 1, 0]);
    scene.uniforms.set_int(1, [if random.below(3) == 0 { 254 } else { 3 }, 0, 1, 0]);
    for n in 0..6 {
        scene.uniform(n, [(); 4].map(|()| value(random, (range.0, range.1.min(12)))));
    }
    (scene, text)
}

fn campaign(precision: Precision, seed: u64, count: u32) {
    let mut random = Random(seed);
    let mut engine = blocking();
    let (mut groups, mut replayed) = (0, 0);
    for number in 0..count {
        let lines = 3 + random.below(14) as usize;
        let (mut scene, text) = scene(&mut random, lines);
        scene.precision = precision;
        scene.check(&mut engine, &format!("program {number} of {seed:x}, {precision:?}\n{text}"));
        assert_eq!(engine.last_run().served, Served::Compiled);
        groups += engine.last_run().groups;
        replayed += engine.last_run().replayed;
    }
    // Otherwise the exact code alone would have been compared.
    assert!(replayed < groups / 4 * 3, "{replayed} of {groups} groups were replayed");
}

/// How many programs are tried: more on request.
fn programs() -> u32 {
    number("PICAFLOR_PROGRAMS").unwrap_or(150)
}

/// Another seed tries other programs.
fn seed() -> u64 {
    u64::from(number("PICAFLOR_SEED").unwrap_or(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn number(variable: &str) -> Option<u32> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

#[test]
fn console_at_the_ends_of_the_range() {
    campaign(Precision::Console, seed(), programs());
}

#[test]
fn binary32_at_the_ends_of_the_range() {
    campaign(Precision::Binary32, seed(), programs());
}
