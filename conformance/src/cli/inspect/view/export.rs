//! The page as a static site: the same files, the library as WebAssembly, and a worker that runs it.

use super::{PAGE, SCRIPT, STYLE, manual};
use crate::cli::capture::{is_scene, make_folder, packed, refused, remove_files, write_into};
use crate::cli::inspect::{How, place_in, print_json};
use crate::cli::source::Source;
use crate::cli::{CliError, plain_name, print, read_file};
use crate::inspect::page::{Captures, Held};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Start of the names of the captures' files; their number follows.
const CAPTURE: &str = "capture-";
const WORKER: &str = include_str!("worker.js");
/// Name of the library's file, as Cargo names it.
const LIBRARY: &str = "picaflor_page.wasm";
const BUILD: &str = "cargo build --profile page --target wasm32-unknown-unknown -p picaflor-page";
/// Start of a file of WebAssembly.
const MAGIC: &[u8] = b"\0asm";
/// What a browser may do with the site: load its own files, and compile the library.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/// Writes the site; `sources` become part of it.
pub(super) fn export(
    folder: &Path,
    library: Option<&Path>,
    sources: &[&Source],
    how: &How,
) -> Result<ExitCode, CliError> {
    let library = found(library)?;
    let places: Vec<(Source, &str)> = sources.iter().map(|source| place_in((*source).as_ref())).collect();
    let (sources, place): (Vec<&Source>, _) =
        (places.iter().map(|(source, _)| source).collect(), places.first().map_or("", |(_, place)| place));
    let files = contents(&sources, how)?;
    make_folder(folder)?;
    for (number, bytes) in files.iter().enumerate() {
        if let Some(bytes) = bytes {
            write_into(folder, &format!("{CAPTURE}{number}"), bytes)?;
        }
    }
    write_into(folder, "page.css", STYLE.as_bytes())?;
    write_into(folder, "page.js", SCRIPT.as_bytes())?;
    write_into(folder, "worker.js", WORKER.as_bytes())?;
    write_into(folder, "picaflor.wasm", &library)?;
    let chapters = folder.join("manual");
    make_folder(&chapters)?;
    for (name, page) in manual::pages() {
        write_into(&chapters, &name, page.as_bytes())?;
    }
    write_into(folder, "index.html", page(&sources, &files, place).as_bytes())?;
    remove_files(folder, |name| is_of_other_site(name, &files))?;
    let index = folder.join("index.html");
    if how.json {
        print_json(&json!({
            "folder": folder.to_string_lossy(),
            "page": index.to_string_lossy(),
            "captures": sources,
        }))?;
    } else {
        print(&format!("{}\n", plain_name(&index)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The files of the sources; `None` for scenes, which the library has. What the page would refuse is refused here: scenes
/// that there are not, damaged files, captures of two machines.
fn contents(sources: &[&Source], how: &How) -> Result<Vec<Option<Vec<u8>>>, CliError> {
    let (mut captures, mut files) = (Captures::default(), Vec::new());
    for (number, source) in sources.iter().enumerate() {
        let (file, inspector) = match is_scene(source) {
            true => (None, how.open(source)?),
            false => {
                let file = packed(source.path())?;
                let opened = crate::inspect::open(file.clone());
                (Some(file), opened.map_err(|why| refused(source, &why))?)
            }
        };
        captures.put(number, Held::new(&source.raw(), inspector)).map_err(CliError::new)?;
        files.push(file);
    }
    Ok(files)
}

/// True for the name of a capture that a site with these files has not: it would be published with it.
fn is_of_other_site(name: &str, files: &[Option<Vec<u8>>]) -> bool {
    let number = name.strip_prefix(CAPTURE).and_then(|number| number.parse::<usize>().ok());
    let number = number.filter(|number| name == format!("{CAPTURE}{number}"));
    number.is_some_and(|number| !matches!(files.get(number), Some(Some(_))))
}

/// The library's file.
fn found(named: Option<&Path>) -> Result<Vec<u8>, CliError> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => places().into_iter().find(|path| path.is_file()).ok_or_else(|| {
            CliError::new(format!(
                "the library of the site is not built (`{BUILD}`); or name it by --wasm FILE"
            ))
        })?,
    };
    let bytes = read_file(&path)?;
    let wrong = || CliError::new(format!("`{}` is no WebAssembly", path.display()));
    bytes.starts_with(MAGIC).then_some(bytes).ok_or_else(wrong)
}

/// Where the library may lie: beside the program, and where Cargo puts it.
fn places() -> Vec<PathBuf> {
    let built = |target: &Path| target.join("wasm32-unknown-unknown/page").join(LIBRARY);
    let program = std::env::current_exe().unwrap_or_default();
    let beside = program.parent().map(|folder| folder.join(LIBRARY));
    // The program itself lies in `target/release`.
    let target = program.parent().and_then(Path::parent).map(built);
    beside.into_iter().chain(target).chain([built(Path::new("target"))]).collect()
}

/// The page with its policy, with the captures that it opens, and with the place in the first one where it opens it.
fn page(sources: &[&Source], files: &[Option<Vec<u8>>], place: &str) -> String {
    let captures = sources.iter().zip(files).enumerate().map(|(number, (source, file))| {
        let name = source.path().file_name().map_or(source.raw(), |name| name.to_string_lossy().into());
        match file {
            Some(_) => json!({ "name": name, "file": format!("{CAPTURE}{number}") }),
            None => json!({ "name": source }),
        }
    });
    let captures = serde_json::Value::from_iter(captures).to_string();
    let policy = format!(
        "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">"
    );
    let [captures, place] = [&captures, place].map(crate::html::escaped);
    PAGE.replacen("<meta charset=\"utf-8\">", &policy, 1).replacen(
        "<html lang=\"en\">",
        &format!(
            "<html lang=\"en\" data-worker=\"worker.js\" data-captures=\"{captures}\" data-place=\"{place}\">"
        ),
        1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_captures_and_its_policy() {
        let (file, scene) = (Source::from("a/b\" onclick=x.pcap"), Source::from("ge:game"));
        let page = page(&[&file, &scene], &[Some(Vec::new()), None], "#draw=5&px=1,2");
        assert!(page.contains("data-place=\"#draw=5&amp;px=1,2\""), "{page}");
        assert!(page.contains("'wasm-unsafe-eval'") && page.contains("data-worker=\"worker.js\""));
        assert!(
            page.contains("capture-0") && page.contains("ge:game") && !page.contains("b\" onclick"),
            "{page}"
        );
        assert!(!PAGE.contains("=\"/"), "paths are relative: a site may lie in any folder");
    }

    #[test]
    fn a_library_that_is_none() {
        let path = std::env::temp_dir().join(format!("picaflor-library-{}", std::process::id()));
        std::fs::write(&path, b"text").expect("a file");
        let why = found(Some(&path)).expect_err("text is none").to_string();
        assert!(why.ends_with("is no WebAssembly"), "{why}");
        std::fs::remove_file(&path).expect("the file");
    }
}
