//! What comments and chapters point to exists: sections of the hardware manuals, chapters, files and headings. And
//! the book has every chapter.
//!
//! The forms of a citation are stated in `conformance/docs/testing.md`, "Citations of the manuals". `--nocapture`
//! prints how many there are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

const MANUALS: [&str; 4] = ["pica-shader", "pica-geometry", "pica-fragment", "psp-ge"];
/// Where sources and chapters are, from the root.
const FOLDERS: [&str; 6] = ["pipeline", "interp", "jit", "conformance", "benches", ".github"];
const MANUAL_FOLDER: &str = "pipeline/docs/hardware";
const THIS_FILE: &str = "citations.rs";
const SUMMARY: &str = ".github/book/SUMMARY.md";

/// A file of the repository, with its path from the root.
struct Source {
    path: PathBuf,
    text: String,
}

/// Text that belongs together: a paragraph, a comment, a line of code.
struct Passage {
    line: usize,
    text: String,
    is_comment: bool,
}

/// A section number in a text. Without a manual it is one of the manual that the file names.
#[derive(Debug, PartialEq, Eq)]
struct Citation {
    manual: Option<&'static str>,
    section: String,
}

fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package
        .ancestors()
        .find(|folder| folder.join(MANUAL_FOLDER).is_dir())
        .expect("the root of the repository")
}

fn sources() -> Vec<Source> {
    let mut paths = vec![root().join("README.md")];
    FOLDERS.iter().for_each(|folder| walk(&root().join(folder), &mut paths));
    let read = |path: PathBuf| Source {
        text: std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())),
        path: path.strip_prefix(root()).expect("a path below the root").to_path_buf(),
    };
    paths.into_iter().map(read).collect()
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, kind) = (entry.path(), entry.file_type().expect("a kind of file"));
        if kind.is_dir() && !is_build_output(&path) {
            walk(&path, paths);
        } else if kind.is_file() && matches!(extension(&path), "rs" | "md" | "toml" | "h" | "c") {
            paths.push(path);
        }
    }
}

/// Cargo's folders; `src/target` is a room of the command line.
fn is_build_output(folder: &Path) -> bool {
    folder.ends_with("target") && !folder.ends_with("src/target")
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

impl Source {
    fn passages(&self) -> Vec<Passage> {
        match extension(&self.path) {
            "md" => joined(self.lines().map(|(line, text)| (line, Some(text))), false),
            "toml" => self.lines().map(|(line, text)| Passage::new(line, text, false)).collect(),
            _ => self.comments_and_code(),
        }
    }

    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(n, text)| (n + 1, text.trim()))
    }

    fn comments_and_code(&self) -> Vec<Passage> {
        let mut passages = joined(self.lines().map(|(line, text)| (line, whole_comment(text))), true);
        for (line, text) in self.lines().filter(|(_, text)| whole_comment(text).is_none()) {
            let (code, comment) = text.split_once(" // ").unwrap_or((text, ""));
            passages.push(Passage::new(line, code, false));
            passages.push(Passage::new(line, comment, true));
        }
        passages
    }

    /// The manuals that are named somewhere in the file.
    fn manuals(&self) -> BTreeSet<&'static str> {
        MANUALS.into_iter().filter(|manual| self.text.contains(manual)).collect()
    }
}

impl Passage {
    fn new(line: usize, text: &str, is_comment: bool) -> Self {
        Self { line, text: text.to_string(), is_comment }
    }
}

/// The text of a line that is nothing but a comment.
fn whole_comment(line: &str) -> Option<&str> {
    let marks = ["///", "//!", "//", "/**", "/*", "* ", "*"];
    marks.iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim)
}

/// Lines that follow each other, as one passage. Empty ones and those without text separate.
fn joined<'a>(lines: impl Iterator<Item = (usize, Option<&'a str>)>, is_comment: bool) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut continues = false;
    for (line, text) in lines {
        let text = text.unwrap_or_default();
        match passages.last_mut() {
            Some(Passage { text: all, .. }) if continues => *all = format!("{all} {text}"),
            _ => passages.push(Passage::new(line, text, is_comment)),
        }
        continues = !text.is_empty();
    }
    passages
}

fn citations(passage: &Passage) -> Vec<Citation> {
    let mut found = Vec::new();
    let mut rest = passage.text.as_str();
    while !rest.is_empty() {
        let (manual, after) = match (named(rest), alone(rest)) {
            (Some((manual, after)), _) => (Some(manual), after),
            (None, Some(after)) if passage.is_comment => (None, after),
            _ => {
                rest = past_one(rest);
                continue;
            }
        };
        let (sections, after) = sections(after);
        found.extend(sections.into_iter().map(|section| Citation { manual, section: section.to_string() }));
        rest = after;
    }
    found
}

fn past_one(text: &str) -> &str {
    let mut rest = text.chars();
    rest.next();
    rest.as_str()
}

/// A manual's name at the start, and what follows it.
fn named(text: &str) -> Option<(&'static str, &str)> {
    let (manual, rest) = MANUALS.into_iter().find_map(|manual| Some((manual, text.strip_prefix(manual)?)))?;
    let rest = rest.strip_prefix(".md").unwrap_or(rest);
    let rest = rest.strip_prefix('`').unwrap_or(rest);
    Some((manual, past_word(past_any(rest, &[", ", " "]))))
}

/// A number that is a section without a manual's name: `(8.6)`, `(8.6, 9.1 to 9.4, …)`, `section 8`.
fn alone(text: &str) -> Option<&str> {
    let after = past_word(text);
    if after.len() < text.len() {
        return number(after).map(|_| after);
    }
    let after = text.strip_prefix('(')?;
    let (sections, end) = sections(after);
    (sections.first()?.contains('.') && end.starts_with([')', ',', ';', ':'])).then_some(after)
}

fn past_word(text: &str) -> &str {
    past_any(text, &["sections ", "section ", "Sections ", "Section "])
}

fn past_any<'a>(text: &'a str, prefixes: &[&str]) -> &'a str {
    prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text)
}

/// Section numbers that follow each other at the start, and what follows them.
fn sections(text: &str) -> (Vec<&str>, &str) {
    let mut found = Vec::new();
    let (mut rest, mut next) = (text, text);
    while let Some((section, after)) = number(next) {
        found.push(section);
        rest = after;
        let separated = past_any(after, &[", and ", ", ", "; ", " and ", " or ", " to ", "-"]);
        if separated.len() == after.len() {
            break;
        }
        next = past_word(separated);
    }
    (found, rest)
}

/// `8`, `8.6` or `7.7.1` at the start, and what follows it.
fn number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let section = text[..end].trim_end_matches('.');
    let rest = &text[section.len()..];
    let is_section =
        section.split('.').count() <= 3 && section.split('.').all(|part| (1..=2).contains(&part.len()));
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '%'));
    (is_section && ends).then_some((section, rest))
}

/// The numbers of a manual's sections.
fn headings_of(manual: &str) -> BTreeSet<String> {
    let path = root().join(MANUAL_FOLDER).join(manual).with_extension("md");
    let text = std::fs::read_to_string(path).expect("a manual");
    let numbers =
        headings(&text).filter_map(|heading| number(heading).map(|(section, _)| section.to_string()));
    numbers.collect()
}

/// Texts of the headings of a chapter.
fn headings(text: &str) -> impl Iterator<Item = &str> {
    prose(text).filter_map(|(_, line)| {
        line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))
    })
}

/// Lines of a chapter outside of listings, numbered.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_listing = false;
    text.lines().enumerate().filter_map(move |(n, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_listing ^= is_fence;
        (!is_listing && !is_fence).then_some((n + 1, line))
    })
}

/// Which manuals a number without a name can mean in a file: those that it names, else that of its room.
struct Rooms(BTreeMap<PathBuf, BTreeSet<&'static str>>);

impl Rooms {
    fn manuals(&self, path: &Path) -> BTreeSet<&'static str> {
        let named = self.0.get(path).filter(|named| !named.is_empty());
        if let Some(named) = named {
            return named.clone();
        }
        if path.iter().any(|folder| folder == "ge") {
            return BTreeSet::from(["psp-ge"]);
        }
        path.ancestors().skip(1).find_map(|folder| self.of_module(folder)).unwrap_or_default()
    }

    fn of_module(&self, folder: &Path) -> Option<BTreeSet<&'static str>> {
        let files = [folder.join("mod.rs"), folder.with_extension("rs")];
        files.iter().find_map(|file| self.0.get(file).filter(|named| !named.is_empty()).cloned())
    }
}

/// All citations with the place of their passage and the manuals that they can mean.
fn all_citations() -> Vec<(String, Citation, Vec<&'static str>)> {
    let sources = sources();
    let rooms = Rooms(sources.iter().map(|source| (source.path.clone(), source.manuals())).collect());
    let mut all = Vec::new();
    // The forms that this file tries are no citations.
    for source in sources.iter().filter(|source| !source.path.ends_with(THIS_FILE)) {
        for passage in source.passages() {
            let place = format!("{}:{}", source.path.display(), passage.line);
            for citation in citations(&passage) {
                let manuals = match citation.manual {
                    Some(manual) => vec![manual],
                    None => rooms.manuals(&source.path).into_iter().collect(),
                };
                all.push((place.clone(), citation, manuals));
            }
        }
    }
    // A number where no manual is named is just a number.
    all.retain(|(_, _, manuals)| !manuals.is_empty());
    all
}

#[test]
fn every_cited_section_exists() {
    let sections: BTreeMap<_, _> = MANUALS.map(|manual| (manual, headings_of(manual))).into();
    let all = all_citations();
    let named = all.iter().filter(|(_, citation, _)| citation.manual.is_some()).count();
    println!("{named} citations name a manual, {} stand in a room of one manual", all.len() - named);
    let wrong = all.iter().filter_map(|(place, Citation { section, .. }, manuals)| match manuals[..] {
        [manual] if sections[manual].contains(section) => None,
        [manual] => Some(format!("{place}: {manual}.md has no section {section}")),
        _ => Some(format!("{place}: section {section} of which manual?")),
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(named > 300 && all.len() > named, "too few citations were found: {named} of {}", all.len());
}

/// Sections that a manual's own text refers to.
#[test]
fn manuals_refer_to_their_own_sections() {
    let mut report = String::new();
    for manual in MANUALS {
        let sections = headings_of(manual);
        let path = Path::new(MANUAL_FOLDER).join(manual).with_extension("md");
        let text = std::fs::read_to_string(root().join(&path)).expect("a manual");
        for (line, text) in prose(&text) {
            // "section 7 of" another document has that one's name behind it.
            let places = text.match_indices("section ").map(|(at, word)| &text[at + word.len()..]);
            let cited = places.filter_map(number).map(|(section, _)| section);
            for section in cited.filter(|section| !sections.contains(*section)) {
                writeln!(report, "{}:{line}: there is no section {section}", path.display()).expect("text");
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

/// Names of chapters in comments: with a path, from the root or from the package; or the bare name of a chapter.
#[test]
fn every_finding_is_in_the_index() {
    let read = |name: &str| {
        let path = root().join(MANUAL_FOLDER).join(name).with_extension("md");
        std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let index = read("index");
    let mut missing = Vec::new();
    for manual in MANUALS {
        let text = read(manual);
        let findings = text.split("> **Finding (").skip(1).filter_map(number);
        let is_listed = |section: &str| {
            let rows = index.lines().filter(|row| row.contains(&format!("({manual}.md#")));
            rows.flat_map(|row| row.split(['[', ']'])).any(|name| name.rsplit(' ').next() == Some(section))
        };
        let sections: Vec<_> = findings.map(|(section, _)| section).collect();
        assert!(sections.len() > 2, "findings of {manual}");
        missing.extend(sections.into_iter().filter(|s| !is_listed(s)).map(|s| format!("{manual} {s}")));
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_chapter_that_a_comment_names_exists() {
    let sources = sources();
    let chapters: BTreeSet<_> =
        sources.iter().filter(|s| extension(&s.path) == "md").map(|s| &s.path).collect();
    let mut report = String::new();
    for source in sources.iter().filter(|source| matches!(extension(&source.path), "rs" | "h" | "c")) {
        for passage in source.passages().iter().filter(|passage| passage.is_comment) {
            let words =
                passage.text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '/' | '-' | '_'));
            let names =
                words.map(|word| word.trim_end_matches(['.', ':'])).filter(|word| word.ends_with(".md"));
            for name in names.filter(|name| !chapters.iter().any(|chapter| chapter.ends_with(name))) {
                writeln!(report, "{}:{}: {name}", source.path.display(), passage.line).expect("text");
            }
        }
    }
    assert!(report.is_empty(), "no such chapter:\n{report}");
}

/// Targets of the links of a chapter that are no addresses of the web, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    // Lines with four spaces are listings, too.
    for (line, text) in prose(text).filter(|(_, text)| !text.starts_with("    ")) {
        let text = without_code(text);
        let inline = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let defined =
            text.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target.trim());
        let targets =
            inline.chain(defined).filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
        found.extend(targets.map(|target| (line, target.to_string())));
    }
    found
}

/// A line without what stands between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The anchor that GitHub and mdBook make from a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// What is wrong with a link from a chapter, if anything is.
fn broken(chapter: &Path, target: &str) -> Option<String> {
    let (file, heading) =
        target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
    // The book's contents are read at the root.
    let folder = if chapter == Path::new(SUMMARY) { Path::new("") } else { chapter.parent()? };
    let path = if file.is_empty() { chapter.to_path_buf() } else { plain(&folder.join(file)) };
    if !root().join(&path).exists() {
        return Some(format!("there is no {}", path.display()));
    }
    let heading = heading?;
    let text = std::fs::read_to_string(root().join(&path)).ok()?;
    let exists = headings(&text).any(|there| anchor(there) == heading);
    (!exists).then(|| format!("{} has no heading #{heading}", path.display()))
}

#[test]
fn every_link_leads_somewhere() {
    let (mut report, mut count) = (String::new(), 0);
    for source in sources().iter().filter(|source| extension(&source.path) == "md") {
        for (line, target) in links(&source.text) {
            count += 1;
            if let Some(why) = broken(&source.path, &target) {
                writeln!(report, "{}:{line}: {why}", source.path.display()).expect("text");
            }
        }
    }
    println!("{count} links");
    assert!(report.is_empty(), "\n{report}");
    assert!(count > 50, "too few links were found: {count}");
}

#[test]
fn the_book_has_every_chapter() {
    let sources = sources();
    let summary =
        sources.iter().find(|source| source.path == Path::new(SUMMARY)).expect("the book's contents");
    let listed: BTreeSet<_> =
        links(&summary.text).into_iter().map(|(_, target)| PathBuf::from(target)).collect();
    let is_chapter = |path: &&PathBuf| extension(path) == "md" && path.iter().any(|folder| folder == "docs");
    let missing: Vec<_> =
        sources.iter().map(|s| &s.path).filter(is_chapter).filter(|p| !listed.contains(*p)).collect();
    assert!(missing.is_empty(), "{SUMMARY} has no {missing:?}");
}

#[test]
fn forms_of_citations() {
    let of = |text: &str, is_comment| {
        let found = citations(&Passage::new(1, text, is_comment)).into_iter();
        found.map(|c| format!("{} {}", c.manual.unwrap_or("-"), c.section)).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(of("Source: psp-ge.md 3.", true), "psp-ge 3");
    assert_eq!(of("see pica-fragment.md 5, and C1-C10", false), "pica-fragment 5");
    assert_eq!(of("`psp-ge.md` 5.2 to 5.5, measured", false), "psp-ge 5.2, psp-ge 5.5");
    assert_eq!(
        of("pica-shader.md section 5, pica-geometry.md 3.1-3.9;", true),
        "pica-shader 5, pica-geometry 3.1, pica-geometry 3.9"
    );
    assert_eq!(of("pica-fragment.md 6.3 and 7; 3dbrew", true), "pica-fragment 6.3, pica-fragment 7");
    assert_eq!(of("pica-geometry.md 12. 128x128 pixels", false), "pica-geometry 12");
    assert_eq!(of("the table (9.8, measured) and section 10.2", true), "- 9.8, - 10.2");
    assert_eq!(of("tests (10.1 to 10.3); (2.5 * x); 50.5 (0.5 of it)", true), "- 10.1, - 10.3");
    assert_eq!(of("the table (9.8) and section 10.2", false), "");
}

#[test]
fn anchors_of_headings() {
    assert_eq!(anchor("8.6 Texture coordinates"), "86-texture-coordinates");
    assert_eq!(anchor("1.5 Jumps (ids 0x238-0x23D), `LG2`"), "15-jumps-ids-0x238-0x23d-lg2");
}
