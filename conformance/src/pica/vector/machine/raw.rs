//! Command lists word by word: nothing of this project encodes them.
//!
//! | text | words |
//! |---|---|
//! | `047=3f0000` | the value, and a header that writes all its bytes to register 0x047 |
//! | `25e.4=10000` | the same with a byte mask, here byte 2 |
//! | `0c0+=1,2,3` | one value, a header, and two more values for registers 0x0C1 and 0x0C2, padded to a multiple of 8 bytes |
//! | `2cc*=1,2,3` | all values for register 0x2CC |
//! | `4c000000` | the word |
//!
//! All numbers are hexadecimal. Source: pica-geometry.md 1.2.

/// The write that ends a list: FINALIZE.
const END: [u32; 2] = [0x1234_5678, 0x000f_0010];
/// Lists are multiples of this many words.
const GRAIN: usize = 4;

/// The bytes of a list, with its end.
///
/// # Errors
/// The first text that is no word.
pub(super) fn list(texts: &[&str]) -> Result<Vec<u8>, String> {
    let mut words = Vec::new();
    for text in texts.iter().flat_map(|text| text.split_whitespace()) {
        write(text, &mut words).ok_or_else(|| format!("`{text}` is no register write"))?;
    }
    words.extend(END);
    while words.len() % GRAIN != 0 {
        words.extend(END);
    }
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

fn write(text: &str, words: &mut Vec<u32>) -> Option<()> {
    let Some((place, values)) = text.split_once('=') else {
        words.push(word(text).filter(|_| text.len() == 8)?);
        return Some(());
    };
    let (place, follow) = match place.strip_suffix('+') {
        Some(place) => (place, 1 << 31),
        None => (place.strip_suffix('*').unwrap_or(place), 0),
    };
    let (id, mask) = place.split_once('.').unwrap_or((place, "f"));
    let values: Vec<u32> = values.split(',').map(word).collect::<Option<_>>()?;
    let header = word(id)? | word(mask)? << 16 | (values.len() as u32 - 1) << 20 | follow;
    words.extend([values[0], header]);
    words.extend(&values[1..]);
    words.extend((words.len() % 2 == 1).then_some(0));
    Some(())
}

fn word(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_the_manual_says() {
        let words = |text| -> Vec<u32> {
            let bytes = list(&[text]).unwrap();
            bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
        };
        assert_eq!(words("047=3f0000"), [0x3f_0000, 0xf_0047, END[0], END[1]]);
        assert_eq!(words("25e.4=10000"), [0x1_0000, 0x4_025e, END[0], END[1]]);
        assert_eq!(words("0c0+=1,2,3 040=1")[..6], [1, 0x802f_00c0, 2, 3, 1, 0xf_0040]);
        assert_eq!(words("2cc*=1,2")[..4], [1, 0x1f_02cc, 2, 0]);
        assert_eq!(words("00000001 000f0040")[..2], [1, 0xf_0040]);
        assert!(list(&["0x40=1"]).is_err() && list(&["1234"]).is_err());
    }
}
