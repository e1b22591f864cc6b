//! The XML document of a `.vtu` file: its arrays, and where their numbers are.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::super::FormatError;
use super::super::binary::{ByteOrder, Scalar};

/// The arrays of a file, and how they are encoded.
pub(super) struct Document<'a> {
    pub(super) byte_order: ByteOrder,
    /// Number of bytes of the lengths in front of binary data.
    pub(super) header_bytes: usize,
    pub(super) compressor: Compressor,
    pub(super) pieces: Vec<Piece>,
    /// Data after the mark at the beginning of the appended data.
    pub(super) appended: Option<Appended<'a>>,
}

/// Compression of binary data. Words are never compressed, whatever the header says.
pub(super) enum Compressor {
    None,
    Zlib,
    Unknown(String),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Appended<'a> {
    Raw(&'a [u8]),
    Base64(&'a [u8]),
}

/// A part of the grid with points and cells of its own.
pub(super) struct Piece {
    /// Number of points that its tag announces.
    pub(super) n_points: Option<i64>,
    /// Number of cells that its tag announces.
    pub(super) n_cells: Option<i64>,
    pub(super) arrays: Vec<Array>,
}

impl Piece {
    fn of(tag: &BytesStart<'_>) -> Result<Self, FormatError> {
        let count = |name: &str| -> Result<Option<i64>, FormatError> {
            let parse = |value: String| {
                value.trim().parse().map_err(|_| {
                    damaged(format!("a piece has {name}={value:?}, expected a whole number"))
                })
            };
            attribute(tag, name)?.map(parse).transpose()
        };
        let (n_points, n_cells) = (count("NumberOfPoints")?, count("NumberOfCells")?);
        Ok(Self { n_points, n_cells, arrays: Vec::new() })
    }
}

pub(super) struct Array {
    pub(super) section: Section,
    pub(super) name: String,
    /// `None` for text.
    pub(super) scalar: Option<Scalar>,
    pub(super) n_components: usize,
    /// Names of the components; empty if there are none.
    pub(super) component_names: Vec<String>,
    pub(super) data: Data,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Points,
    Cells,
    PointData,
    CellData,
    Other,
}

pub(super) enum Data {
    Words(Vec<u8>),
    Base64(Vec<u8>),
    /// Offset from the mark.
    Appended(usize),
}

/// Deepest nesting of XML elements that is read.
const DEEPEST: usize = 16;

impl<'a> Document<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let tag = b"<AppendedData";
        let end = bytes.windows(tag.len()).position(|window| window == tag).unwrap_or(bytes.len());
        let mut document = Self {
            byte_order: ByteOrder::Little,
            header_bytes: 4,
            compressor: Compressor::None,
            pieces: Vec::new(),
            appended: appended(&bytes[end..])?,
        };
        let mut reader = Reader::from_reader(&bytes[..end]);
        let mut path: Vec<Vec<u8>> = Vec::new();
        let mut is_grid = false;
        loop {
            let event = reader.read_event().map_err(|e| damaged(e.to_string()))?;
            match &event {
                Event::Start(tag) | Event::Empty(tag) => {
                    match tag.name().as_ref() {
                        b"VTKFile" => {
                            document.read_head(tag)?;
                            is_grid = true;
                        }
                        b"Piece" => document.pieces.push(Piece::of(tag)?),
                        b"DataArray" | b"Array" => {
                            let section = section(path.last().map(Vec::as_slice));
                            if let Some(piece) = document.pieces.last_mut() {
                                piece.arrays.push(Array::of(tag, section)?);
                            }
                        }
                        _ => {}
                    }
                    if matches!(event, Event::Start(_)) {
                        path.push(tag.name().as_ref().to_vec());
                    }
                    if path.len() > DEEPEST {
                        return Err(damaged(format!("it is nested more than {DEEPEST} deep")));
                    }
                }
                Event::End(_) => drop(path.pop()),
                Event::Text(text) => {
                    let array = document.pieces.last_mut().and_then(|p| p.arrays.last_mut());
                    if let (Some(b"DataArray"), Some(array)) =
                        (path.last().map(Vec::as_slice), array)
                    {
                        array.data.extend(text);
                    }
                }
                // What they stand for would be missing in the numbers.
                Event::DocType(_) => {
                    let why = "it declares entities of its own (DOCTYPE), expected plain XML";
                    return Err(damaged(why.to_owned()));
                }
                Event::GeneralRef(name) if path.last().is_some_and(|tag| tag == b"DataArray") => {
                    let name = String::from_utf8_lossy(name).into_owned();
                    return Err(damaged(format!(
                        "an array has the reference \"&{name};\", expected numbers only"
                    )));
                }
                Event::Eof => break,
                _ => {}
            }
        }
        // Appended bytes are within the outermost element; otherwise all elements must be closed.
        if is_grid && path.len() > usize::from(end < bytes.len()) {
            return Err(FormatError::Ends("the rest of the XML document".to_owned()));
        }
        if is_grid { Ok(document) } else { Err(damaged("there is no VTKFile in it".to_owned())) }
    }

    /// Encoding of the numbers, in words.
    pub(super) fn form(&self) -> &'static str {
        let arrays = || self.pieces.iter().flat_map(|piece| &piece.arrays);
        match (self.appended, !matches!(self.compressor, Compressor::None)) {
            (None, _) if arrays().all(|array| matches!(array.data, Data::Words(_))) => "ASCII",
            (None, false) => "base64",
            (None, true) => "compressed base64",
            (Some(Appended::Raw(_)), false) => "raw",
            (Some(Appended::Raw(_)), true) => "compressed raw",
            (Some(Appended::Base64(_)), false) => "appended base64",
            (Some(Appended::Base64(_)), true) => "compressed appended base64",
        }
    }

    fn read_head(&mut self, tag: &BytesStart<'_>) -> Result<(), FormatError> {
        let kind = attribute(tag, "type")?.unwrap_or_default();
        if kind != "UnstructuredGrid" {
            return Err(FormatError::Unsupported(format!(
                "this is a VTK file of type {kind:?}, expected \"UnstructuredGrid\""
            )));
        }
        if attribute(tag, "byte_order")?.as_deref() == Some("BigEndian") {
            self.byte_order = ByteOrder::Big;
        }
        if attribute(tag, "header_type")?.as_deref() == Some("UInt64") {
            self.header_bytes = 8;
        }
        self.compressor = match attribute(tag, "compressor")?.as_deref() {
            None | Some("") => Compressor::None,
            Some("vtkZLibDataCompressor") => Compressor::Zlib,
            Some(other) => Compressor::Unknown(other.to_owned()),
        };
        Ok(())
    }
}

impl Array {
    fn of(tag: &BytesStart<'_>, section: Section) -> Result<Self, FormatError> {
        let scalar = match attribute(tag, "type")?.as_deref() {
            Some("Int8") => Some(Scalar::I8),
            Some("UInt8") => Some(Scalar::U8),
            Some("Int16") => Some(Scalar::I16),
            Some("UInt16") => Some(Scalar::U16),
            Some("Int32") => Some(Scalar::I32),
            Some("UInt32") => Some(Scalar::U32),
            Some("Int64") => Some(Scalar::I64),
            Some("UInt64") => Some(Scalar::U64),
            Some("Float32") => Some(Scalar::F32),
            Some("Float64") => Some(Scalar::F64),
            _ => None,
        };
        let number = |name: &str| -> Result<Option<usize>, FormatError> {
            let value = attribute(tag, name)?;
            let parse =
                |value: String| value.trim().parse().map_err(|_| bad_attribute(name, &value));
            value.map(parse).transpose()
        };
        let data = match attribute(tag, "format")?.as_deref() {
            None | Some("ascii") => Data::Words(Vec::new()),
            Some("binary") => Data::Base64(Vec::new()),
            Some("appended") => Data::Appended(
                number("offset")?.ok_or_else(|| damaged("an array has no offset".to_owned()))?,
            ),
            Some(other) => return Err(bad_attribute("format", other)),
        };
        let mut component_names = Vec::new();
        while let Some(name) = attribute(tag, &format!("ComponentName{}", component_names.len()))? {
            component_names.push(name);
        }
        Ok(Self {
            section,
            component_names,
            name: attribute(tag, "Name")?.unwrap_or_default(),
            scalar,
            n_components: number("NumberOfComponents")?.unwrap_or(1).max(1),
            data,
        })
    }
}

impl Data {
    fn extend(&mut self, text: &[u8]) {
        match self {
            Self::Words(words) | Self::Base64(words) => words.extend_from_slice(text),
            Self::Appended(_) => {}
        }
    }
}

fn section(parent: Option<&[u8]>) -> Section {
    match parent {
        Some(b"Points") => Section::Points,
        Some(b"Cells") => Section::Cells,
        Some(b"PointData") => Section::PointData,
        Some(b"CellData") => Section::CellData,
        _ => Section::Other,
    }
}

/// Data after the mark `_` of `<AppendedData encoding="raw">_...`.
fn appended(bytes: &[u8]) -> Result<Option<Appended<'_>>, FormatError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let end = bytes.iter().position(|byte| *byte == b'>').unwrap_or(bytes.len());
    let (tag, rest) = bytes.split_at(end);
    let mark = rest.iter().position(|byte| *byte == b'_');
    let data =
        &rest[mark.ok_or_else(|| damaged("the appended data has no mark".to_owned()))? + 1..];
    let is_base64 = tag.windows(6).any(|window| window == b"base64");
    Ok(Some(if is_base64 { Appended::Base64(data) } else { Appended::Raw(data) }))
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, FormatError> {
    let found = tag.try_get_attribute(name).map_err(|e| damaged(e.to_string()))?;
    let Some(found) = found else { return Ok(None) };
    let text = String::from_utf8_lossy(&found.value);
    match quick_xml::escape::unescape(&text) {
        Ok(text) => Ok(Some(text.into_owned())),
        Err(e) => Err(damaged(e.to_string())),
    }
}

fn bad_attribute(name: &str, value: &str) -> FormatError {
    damaged(format!("an array has {name}={value:?}"))
}

fn damaged(why: String) -> FormatError {
    FormatError::Damaged { what: "the XML document".to_owned(), why }
}
