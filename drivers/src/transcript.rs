//! Byte transcripts as text, for tests.

/// Parses two-digit hexadecimal words.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let byte = |word| u8::from_str_radix(word, 16).expect("two hexadecimal digits");
    text.split_ascii_whitespace().map(byte).collect()
}
