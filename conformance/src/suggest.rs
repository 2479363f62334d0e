//! Names that somebody may have meant.

/// Bytes of the longest name that is compared, that of a file: the time is the product of the lengths.
const LONGEST: usize = 255;

/// The candidate that takes the fewest changes of letters to become a name, if it takes few: one, or one for every three
/// letters. Neighbours that are swapped are one change; capitals count as small letters.
pub(crate) fn near<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    if name.len() > LONGEST {
        return None;
    }
    let name = name.to_lowercase();
    let length = name.chars().count();
    let most = (length / 3).max(1);
    // Each letter more or less is a change: the others are out of reach.
    let in_reach = |of: &&str| of.len() <= LONGEST && of.chars().count().abs_diff(length) <= most;
    let candidates = candidates.into_iter().filter(in_reach);
    let scored = candidates.map(|of| (strsim::osa_distance(&name, &of.to_lowercase()), of));
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
        assert_eq!((near("abcdef", ["abcdefgh"]), near("abcdef", ["abcdefghi"])), (Some("abcdefgh"), None));
    }

    /// A name of a megabyte once was compared with all files of a folder.
    #[test]
    fn long_names_are_not_compared() {
        let long = "a".repeat(1 << 20);
        let began = std::time::Instant::now();
        assert_eq!(near(&long, std::iter::repeat_n(long.as_str(), 10_000)), None);
        assert_eq!(near("a", std::iter::repeat_n(long.as_str(), 10_000)), None);
        assert!(began.elapsed().as_secs() < 10);
        let name = "a".repeat(LONGEST);
        assert_eq!(near(&name[1..], [name.as_str()]), Some(name.as_str()));
    }
}
