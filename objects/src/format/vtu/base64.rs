//! Base64 decoder that works piece by piece.

use super::super::FormatError;

/// Decoder of base64. VTK writes several padded pieces one after the other, so padding does not end
/// the text.
pub(in super::super) struct Base64<'a> {
    text: &'a [u8],
    decoded: [u8; 3],
    /// Number of bytes of `decoded` that have not been taken yet; they are the last of `n_decoded`.
    n_left: usize,
    n_decoded: usize,
}

impl<'a> Base64<'a> {
    pub(in super::super) fn of(text: &'a [u8]) -> Self {
        Self { text, decoded: [0; 3], n_left: 0, n_decoded: 0 }
    }

    /// Upper bound of the number of bytes that can still be taken.
    pub(in super::super) fn most_left(&self) -> usize {
        self.n_left + self.text.len() / 4 * 3
    }

    /// The next `n_bytes` bytes; an error if there are fewer.
    pub(in super::super) fn take(&mut self, n_bytes: usize) -> Result<Vec<u8>, FormatError> {
        if n_bytes > self.most_left() {
            return Err(FormatError::Ends(format!("{n_bytes} bytes in base64")));
        }
        let mut bytes = Vec::with_capacity(n_bytes);
        while bytes.len() < n_bytes {
            if self.n_left == 0 {
                self.decode()?;
            }
            let fresh = &self.decoded[self.n_decoded - self.n_left..self.n_decoded];
            let n = fresh.len().min(n_bytes - bytes.len());
            bytes.extend_from_slice(&fresh[..n]);
            self.n_left -= n;
        }
        Ok(bytes)
    }

    /// All remaining bytes.
    pub(in super::super) fn rest(&mut self) -> Result<Vec<u8>, FormatError> {
        let mut bytes = Vec::new();
        while self.most_left() > 0 {
            if self.n_left == 0 {
                self.decode()?;
            }
            bytes.extend_from_slice(&self.decoded[self.n_decoded - self.n_left..self.n_decoded]);
            self.n_left = 0;
        }
        Ok(bytes)
    }

    /// Decodes four letters into one to three bytes.
    fn decode(&mut self) -> Result<(), FormatError> {
        let Some((letters, rest)) = self.text.split_first_chunk::<4>() else {
            return Err(FormatError::Ends("more base64".to_owned()));
        };
        self.text = rest;
        let n_padding = letters.iter().rev().take_while(|letter| **letter == b'=').count();
        let mut bits = 0;
        for letter in &letters[..4 - n_padding] {
            bits = bits << 6 | value(*letter)?;
        }
        if n_padding > 2 {
            return Err(damaged(b'='));
        }
        bits <<= 6 * n_padding;
        let [_, decoded @ ..] = bits.to_be_bytes();
        self.decoded = decoded;
        self.n_decoded = 3 - n_padding;
        self.n_left = self.n_decoded;
        Ok(())
    }
}

fn value(letter: u8) -> Result<u32, FormatError> {
    Ok(u32::from(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return Err(damaged(letter)),
    }))
}

fn damaged(letter: u8) -> FormatError {
    let letter = char::from(letter);
    FormatError::Damaged {
        what: "base64".to_owned(),
        why: format!("{letter:?} is not a base64 letter"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, pieces: &[&str]) {
        let mut base64 = Base64::of(text.as_bytes());
        for piece in pieces {
            assert_eq!(base64.take(piece.len()), Ok(piece.as_bytes().to_vec()));
        }
        assert!(base64.take(1).is_err(), "nothing is left");
        assert_eq!(Base64::of(text.as_bytes()).rest(), Ok(pieces.concat().into_bytes()));
    }

    #[test]
    fn padding_may_stand_in_the_middle() {
        check("Zm9vYmFy", &["foobar"]);
        check("Zm9vYg==YXI=", &["fo", "ob", "ar"]);
        check("Zm9vYg==YXI=", &["foob", "ar"]);
        check("", &[]);
    }

    #[test]
    fn other_letters_are_refused() {
        for text in ["Zm9*", "Z===", "=m9v", "Z=9v"] {
            assert!(Base64::of(text.as_bytes()).rest().is_err(), "{text}");
        }
    }
}
