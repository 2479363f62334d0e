//! Golden lines in a file of `scenes/`.

use std::collections::BTreeSet;
use std::path::Path;

/// Compares lines with those of a file; with `PICAFLOR_UPDATE=1`, writes the file anew instead.
pub(crate) fn against(file: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(file);
    if std::env::var_os("PICAFLOR_UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, actual).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        return;
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (golden, actual) = (lines(&golden), lines(actual));
    let changed: Vec<String> = actual.difference(&golden).map(|line| format!("now    {line}")).collect();
    let gone: Vec<String> = golden.difference(&actual).map(|line| format!("golden {line}")).collect();
    assert!(golden == actual, "{}\n{}", gone.join("\n"), changed.join("\n"));
}
