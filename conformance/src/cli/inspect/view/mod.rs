//! `picaflor view`: the inspector as a page, served on the loopback interface.

mod export;
mod http;
mod manual;

use super::How;
use crate::cli::source::Source;
use crate::cli::{CliError, plain, print};
use crate::inspect::page::{Captures, Held, Request};
use http::{Response, Server};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = concat!(include_str!("../../../html/colours.css"), include_str!("page.css"));
const SCRIPT: &str = include_str!("page.js");

/// Serve the inspector as a page: draws, pictures with values, the history and the trace of a pixel, state, textures,
/// mesh, program with steps.
///
/// The page answers on the loopback interface alone, to requests of its own origin, and serves nothing but its files,
/// the hardware manuals and the capture. It loads nothing from elsewhere. A second capture is shown beside the first one, under a slider.
/// Links open at a draw and a pixel: `#draw=586&px=244,182`. Control-C ends the server.
///
/// With `--export` nothing is served: the same page is written as a static site, in which the interpreter runs as
/// WebAssembly. Any web server can offer it, for example `python3 -m http.server -d site`; files that are dropped on it
/// stay in the browser. Captures that are named become part of the site.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor view game.ppdmp
  picaflor view 'game.ppdmp#draw=586&px=244,182'
  picaflor view before.pcap after.pcap
  picaflor view game.ppdmp --port 8000   # for ssh -L 8000:localhost:8000 HOST
  picaflor view --export site
  picaflor view game.ppdmp --export site --wasm picaflor_page.wasm")]
pub struct Args {
    /// A capture, or scene:NAME or ge:NAME
    #[arg(required_unless_present = "export")]
    capture: Option<Source>,
    /// Another one of the same machine, to compare with
    other: Option<Source>,
    /// Write a static site into this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "engine", "precision"])]
    export: Option<PathBuf>,
    /// The library of the site; the one beside this program or in target/ unless given
    #[arg(long, value_name = "FILE", requires = "export")]
    wasm: Option<PathBuf>,
    /// Port; any free one unless given
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// End after this many connections
    #[arg(long, value_name = "N", hide = true)]
    connections: Option<usize>,
    #[command(flatten)]
    how: How,
}

/// Runs the subcommand.
///
/// # Errors
/// A capture cannot be read, the port is taken, or the site cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let sources: Vec<&Source> = args.capture.iter().chain(&args.other).collect();
    if let Some(folder) = &args.export {
        return export::export(folder, args.wasm.as_deref(), &sources, &args.how);
    }
    let mut captures = Captures::default();
    for (number, source) in sources.iter().enumerate() {
        let (name, _) = super::place_in((*source).as_ref());
        let held = Held::new(&name.raw(), args.how.open_in_pieces(source)?);
        captures.put(number, held).map_err(CliError::new)?;
    }
    let fail = |why| CliError::new(format!("cannot listen on port {}: {why}", args.port));
    let server = Server::new(args.port).map_err(fail)?;
    let url = server.url() + sources.first().map_or("", |source| super::place_in((*source).as_ref()).1);
    let text = if args.how.json { json!({ "url": url }).to_string() } else { plain(&url) };
    print(&format!("{text}\n"))?;
    let answer = move |request: &Request| match request.path.as_str() {
        "/" => Response::file("text/html; charset=utf-8", PAGE),
        "/page.css" => Response::file("text/css; charset=utf-8", STYLE),
        "/page.js" => Response::file("text/javascript; charset=utf-8", SCRIPT),
        path => match path.strip_prefix("/manual/").and_then(manual::page) {
            Some(page) => Response::file("text/html; charset=utf-8", page),
            None => captures.answer(request).into(),
        },
    };
    server.run(args.connections, Arc::new(answer)).map_err(CliError::new)?;
    Ok(ExitCode::SUCCESS)
}
