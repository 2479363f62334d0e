//! `picaflor dump`: a draw as files.

use super::{How, has_vertex, print_json, wrapped};
use crate::cli::capture::{make_folder, remove_files, write_into};
use crate::cli::source::Source;
use crate::cli::{CliError, print};
use crate::image::{Image, grey_png};
use crate::inspect::{BufferView, Draw, Mesh, TextureView};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Columns of the text.
const COLUMNS: usize = 80;

/// Write everything about a draw into a folder: buffers before and after, textures, mesh, state, program.
///
/// Files that an earlier dump left in the folder are replaced, or removed if this draw has no such file.
///
/// Colours, alpha, depth and stencil are PNG files, rows from the top of the window; the numbers are in state.json. The
/// mesh is an OBJ file in pixels of the window. The palette has rows of 16 entries; tables are in units of their largest
/// value. On machines with programs there are the program as a container and as
/// source, and the steps of a vertex.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor dump scene:transforms --draw 1 -o draw-1
  picaflor dump game.ctf --draw 586 --vertex 3 -o draw-586")]
pub struct Args {
    /// A capture, or scene:NAME or ge:NAME; - for standard input
    capture: Source,
    /// The draw, counted from 0
    #[arg(long)]
    draw: u64,
    /// The vertex whose steps are written; the first one unless given
    #[arg(long)]
    vertex: Option<usize>,
    /// The folder
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    how: How,
}

/// Runs the subcommand.
///
/// # Errors
/// The capture cannot be read or played, has no such draw or vertex, or a file cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let mut inspector = args.how.open(&args.capture)?;
    let draw = inspector.draw(args.draw, args.vertex.unwrap_or_default()).map_err(CliError::new)?;
    // A draw without vertices can be written, too.
    args.vertex.map_or(Ok(()), |vertex| has_vertex(args.draw, &draw, vertex))?;
    let state = inspector.state_as_json(args.draw).map_err(CliError::new)?;
    make_folder(&args.output)?;
    let files = files(&draw, &state);
    remove_files(&args.output, |name| is_of_dump(name) && files.iter().all(|(own, _)| own != name))?;
    for (name, bytes) in &files {
        write_into(&args.output, name, bytes)?;
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    if args.how.json {
        print_json(&json!({ "draw": args.draw, "folder": args.output.to_string_lossy(), "files": names }))?;
    } else {
        print(&format!("{} files: {}\n", names.len(), wrapped(&names.join(" "), 2, COLUMNS)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// True for names of files that a dump may have.
fn is_of_dump(name: &str) -> bool {
    const WHOLE: [&str; 6] =
        ["palette.json", "palette.png", "tables.json", "program.shbin", "program.v.pica", "program.json"];
    let is_picture = || ["before-", "after-", "texture-"].iter().any(|start| name.starts_with(start));
    WHOLE.contains(&name) || is_picture() && name.ends_with(".png")
}

/// All files, by name.
fn files(draw: &Draw, state: &Value) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("state.json".into(), format!("{state:#}\n").into_bytes())];
    files.push(("mesh.obj".into(), obj(&draw.mesh).into_bytes()));
    files.push(("mesh.json".into(), format!("{:#}\n", draw.mesh.as_json()).into_bytes()));
    for (prefix, view) in [("before", &draw.before), ("after", &draw.after)] {
        files.extend(pictures(view).into_iter().map(|(name, png)| (format!("{prefix}-{name}.png"), png)));
    }
    for texture in &draw.textures {
        let name = format!("texture-{}-level-{}", texture.unit, texture.level);
        files.push((format!("{name}.png"), texture_png(texture)));
        let alpha: Vec<u16> = texture.texels.iter().map(|texel| u16::from(texel[3]) * 257).collect();
        files.push((format!("{name}-alpha.png"), grey_png(texture.size[0], texture.size[1], &alpha)));
    }
    if !draw.palette.is_empty() {
        files.push(("palette.json".into(), format!("{}\n", json!(draw.palette)).into_bytes()));
        let entries = draw.palette.len() as u32;
        let [columns, rows] = [entries.min(16), entries.div_ceil(16)];
        let colour = |x: u32, y: u32| {
            draw.palette.get((y * 16 + x) as usize).map_or([0; 3], |&[r, g, b, _]| [r, g, b])
        };
        files.push(("palette.png".into(), Image::of(columns, rows, colour).to_png()));
    }
    if !draw.tables.is_empty() {
        let tables: Map<String, Value> =
            draw.tables.iter().map(|table| (table.name.clone(), json!(table.values))).collect();
        files.push(("tables.json".into(), format!("{:#}\n", Value::from(tables)).into_bytes()));
    }
    if let Some(program) = &draw.program {
        files.push(("program.shbin".into(), program.shbin.clone()));
        files.push(("program.v.pica".into(), program.source.clone().into_bytes()));
        files.push(("program.json".into(), format!("{:#}\n", program.as_json()).into_bytes()));
    }
    files
}

/// Colour, alpha, depth and stencil of a view.
fn pictures(view: &BufferView) -> Vec<(&'static str, Vec<u8>)> {
    if view.colour.is_empty() {
        return Vec::new();
    }
    let (width, height) = (view.width, view.height);
    let mut pictures = vec![("colour", colour_image(view).to_png())];
    let alpha: Vec<u16> = view.colour.iter().map(|pixel| u16::from(pixel[3]) * 257).collect();
    pictures.push(("alpha", grey_png(width, height, &alpha)));
    if !view.depth.is_empty() {
        let (low, high) = view.depth.iter().fold((u32::MAX, 0), |(low, high), &z| (low.min(z), high.max(z)));
        let span = u64::from((high - low).max(1));
        let grey: Vec<u16> =
            view.depth.iter().map(|&z| (u64::from(z - low) * 0xffff / span) as u16).collect();
        pictures.push(("depth", grey_png(width, height, &grey)));
    }
    if !view.stencil.is_empty() {
        let grey: Vec<u16> = view.stencil.iter().map(|&value| u16::from(value) * 257).collect();
        pictures.push(("stencil", grey_png(width, height, &grey)));
    }
    pictures
}

/// The colours of a view.
pub(in crate::cli) fn colour_image(view: &BufferView) -> Image {
    Image::of(view.width, view.height, |x, y| {
        let [r, g, b, _] = view.colour[(y * view.width + x) as usize];
        [r, g, b]
    })
}

fn texture_png(texture: &TextureView) -> Vec<u8> {
    let [width, height] = texture.size;
    let pixel = |x, y| {
        let [r, g, b, _] = texture.texels[(y * width + x) as usize];
        [r, g, b]
    };
    Image::of(width, height, pixel).to_png()
}

/// The primitives as an OBJ file: one corner after the other.
fn obj(mesh: &Mesh) -> String {
    let mut text = String::from("# pixels of the window, depth\n");
    for [x, y, z] in mesh.primitives.iter().flatten() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    let mut next = 1;
    for corners in &mesh.primitives {
        let letter = match corners.len() {
            1 => 'p',
            2 => 'l',
            _ => 'f',
        };
        let _ = write!(text, "{letter}");
        for _ in corners {
            let _ = write!(text, " {next}");
            next += 1;
        }
        text.push('\n');
    }
    text
}
