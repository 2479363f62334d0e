//! `picaflor view`: the inspector as a page, served on the loopback interface.

mod api;
mod http;

use super::How;
use crate::cli::{CliError, print};
use api::{Captures, Held};
use http::{Request, Response, Server};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Serve the inspector as a page: draws, pictures with values, the history and the trace of a pixel, state, textures,
/// mesh, program with steps.
///
/// The page answers on the loopback interface alone, to requests of its own origin, and serves nothing but its files and
/// the capture. It loads nothing from elsewhere. A second capture is shown beside the first one, under a slider.
/// Links open at a draw and a pixel: `#draw=586&px=244,182`. Control-C ends the server.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor view game.ppdmp
  picaflor view 'game.ppdmp#draw=586&px=244,182'
  picaflor view before.pcap after.pcap --port 8000")]
pub struct Args {
    /// A capture, or scene:NAME or ge:NAME
    capture: String,
    /// Another one, to compare with
    other: Option<String>,
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
/// A capture cannot be read, or the port is taken.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let sources = std::iter::once(&args.capture).chain(&args.other);
    let held = |source: &String| Ok(Mutex::new(Held::new(source, args.how.open(source)?)));
    let captures = Captures(sources.map(held).collect::<Result<_, CliError>>()?);
    let fail = |why| CliError::new(format!("cannot listen on port {}: {why}", args.port));
    let server = Server::new(args.port).map_err(fail)?;
    let url = server.url() + super::place_in(&args.capture).1;
    let text = if args.how.json { format!("{{\"url\": \"{url}\"}}\n") } else { format!("{url}\n") };
    print(&text)?;
    let answer = move |request: &Request| match request.path.as_str() {
        "/" => Response::file("text/html; charset=utf-8", PAGE),
        "/page.css" => Response::file("text/css; charset=utf-8", STYLE),
        "/page.js" => Response::file("text/javascript; charset=utf-8", SCRIPT),
        _ => captures.answer(request),
    };
    server.run(args.connections, Arc::new(answer)).map_err(CliError::new)?;
    Ok(ExitCode::SUCCESS)
}
