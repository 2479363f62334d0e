//! Names that somebody may have meant.

/// Likeness from which on a name is suggested, as for subcommands.
const LIKE: f64 = 0.7;

/// The candidate that is most like a name, if one is like it.
pub(crate) fn near<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name = name.to_lowercase();
    let scored = candidates.into_iter().map(|of| (strsim::jaro_winkler(&name, &of.to_lowercase()), of));
    let best = scored.filter(|(score, _)| *score > LIKE).max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.map(|(_, of)| of)
}

/// What an error says behind a wrong name: the candidate that is most like it, or nothing.
pub(crate) fn did_you_mean<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    near(name, candidates).map_or_else(String::new, |of| format!("; did you mean `{of}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses() {
        let names = ["game", "television", "Shadows"];
        assert_eq!(near("gmae", names), Some("game"));
        assert_eq!(near("shadow", names), Some("Shadows"));
        assert_eq!(near("atlantis", names), None);
        assert_eq!(did_you_mean("telvision", names), "; did you mean `television`?");
        assert_eq!(did_you_mean("xyz", names), "");
    }
}
