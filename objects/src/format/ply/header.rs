//! Header of a PLY file, which describes the data after it.

use super::super::FormatError;
use super::super::binary::{ByteOrder, Scalar};
use super::super::text::Scanner;

/// Elements of the file, and the form of its data.
pub(super) struct Header {
    pub(super) form: Form,
    pub(super) elements: Vec<Element>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    Text,
    Binary(ByteOrder),
}

/// A list of items with the same properties.
pub(super) struct Element {
    pub(super) name: Vec<u8>,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

/// A number, or a list of numbers after their count.
pub(super) struct Property {
    pub(super) name: Vec<u8>,
    /// Type of the count, if this is a list.
    pub(super) length: Option<Scalar>,
    pub(super) scalar: Scalar,
}

impl Header {
    pub(super) fn read(scanner: &mut Scanner<'_>) -> Result<Self, FormatError> {
        let line = scanner.next_line().unwrap_or_default();
        if line != b"ply" {
            return Err(scanner.unexpected("`ply`", line));
        }
        let mut form = None;
        let mut elements: Vec<Element> = Vec::new();
        loop {
            let line = scanner.full_line().ok_or_else(|| FormatError::Ends("end_header".into()))?;
            let words: Vec<&[u8]> =
                line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
            match words.as_slice() {
                [b"comment" | b"obj_info", ..] => {}
                [b"format", b"ascii", ..] => form = Some(Form::Text),
                [b"format", b"binary_little_endian", ..] => {
                    form = Some(Form::Binary(ByteOrder::Little));
                }
                [b"format", b"binary_big_endian", ..] => form = Some(Form::Binary(ByteOrder::Big)),
                [b"element", name, count] => {
                    let count =
                        std::str::from_utf8(count).ok().and_then(|count| count.parse().ok());
                    let count = count.ok_or_else(|| scanner.unexpected("a count", line))?;
                    elements.push(Element { name: name.to_vec(), count, properties: Vec::new() });
                }
                [b"property", rest @ ..] => match (property(rest), elements.last_mut()) {
                    (Some(property), Some(element)) => element.properties.push(property),
                    _ => return Err(scanner.unexpected("a property of an element", line)),
                },
                [b"end_header"] => break,
                _ => return Err(scanner.unexpected("a line of a PLY file's header", line)),
            }
        }
        // Elements without properties take no bytes, so the length of the file would not limit
        // their count.
        elements.retain(|element| !element.properties.is_empty());
        let form = form.ok_or_else(|| FormatError::Ends("the format of a PLY file".into()))?;
        Ok(Self { form, elements })
    }
}

fn property(words: &[&[u8]]) -> Option<Property> {
    let (length, kind, name) = match words {
        [b"list", length, kind, name] => (Some(scalar(length)?), kind, name),
        [kind, name] => (None, kind, name),
        _ => return None,
    };
    Some(Property { name: name.to_vec(), length, scalar: scalar(kind)? })
}

fn scalar(name: &[u8]) -> Option<Scalar> {
    Some(match name {
        b"char" | b"int8" => Scalar::I8,
        b"uchar" | b"uint8" => Scalar::U8,
        b"short" | b"int16" => Scalar::I16,
        b"ushort" | b"uint16" => Scalar::U16,
        b"int" | b"int32" => Scalar::I32,
        b"uint" | b"uint32" => Scalar::U32,
        b"float" | b"float32" => Scalar::F32,
        b"double" | b"float64" => Scalar::F64,
        _ => return None,
    })
}
