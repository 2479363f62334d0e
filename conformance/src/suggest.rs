//! Names that somebody may have meant.

/// The candidate that takes the fewest changes of letters to become a name, if it takes few: one, or one for every three
/// letters. Neighbours that are swapped are one change; capitals count as small letters.
pub(crate) fn near<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name = name.to_lowercase();
    let most = (name.chars().count() / 3).max(1);
    let scored = candidates.into_iter().map(|of| (strsim::osa_distance(&name, &of.to_lowercase()), of));
    let best = scored.filter(|(changes, _)| *changes <= most).min_by_key(|(changes, _)| *changes);
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
        assert_eq!((near("jti", ["interp", "jit"]), near("xy", names)), (Some("jit"), None));
        assert_eq!(near("atlantis", ["attenuation", "game"]), None);
        assert_eq!(did_you_mean("telvision", names), "; did you mean `television`?");
        assert_eq!(did_you_mean("xyz", names), "");
    }
}
