//! Polygon files, ASCII and binary of either byte order: points and polygons.

mod header;

use nalgebra::Point3;

use super::binary::{ByteOrder, Scalar};
use super::raw_mesh::{MISSING, RawMesh};
use super::srgb::linear;
use super::text::Scanner;
use super::{Field, FormatError};
use header::{Element, Form, Header, Property};

/// Reads positions, colours and corners from the elements `vertex` and `face`; all others are
/// skipped.
pub(super) fn parse(bytes: &[u8]) -> Result<RawMesh, FormatError> {
    let mut scanner = Scanner::of(bytes, "");
    let header = Header::read(&mut scanner)?;
    let mut mesh = RawMesh::of(match header.form {
        Form::Text => "PLY, ASCII",
        Form::Binary(ByteOrder::Little) => "PLY, binary",
        Form::Binary(ByteOrder::Big) => "PLY, binary, big-endian",
    });
    let mut source = NumberReader { scanner, form: header.form };
    for element in &header.elements {
        match element.name.as_slice() {
            b"vertex" => vertices(&mut source, element, &mut mesh)?,
            b"face" => faces(&mut source, element, &mut mesh)?,
            _ => source.skip(element)?,
        }
    }
    let rest = source.scanner.rest().trim_ascii();
    if !rest.is_empty() {
        return Err(FormatError::Damaged {
            what: "the PLY file".to_owned(),
            why: format!("{} bytes follow the last element that its header announces", rest.len()),
        });
    }
    Ok(mesh)
}

fn vertices(
    source: &mut NumberReader<'_>,
    element: &Element,
    mesh: &mut RawMesh,
) -> Result<(), FormatError> {
    let axis_of = |property: &Property| match (property.length, property.name.as_slice()) {
        (None, b"x") => Some(0),
        (None, b"y") => Some(1),
        (None, b"z") => Some(2),
        _ => None,
    };
    let axes: Vec<Option<usize>> = element.properties.iter().map(axis_of).collect();
    if (0..3).any(|axis| axes.iter().filter(|is| **is == Some(axis)).count() != 1) {
        return Err(FormatError::Unsupported(
            "the vertices of this PLY file have no x, y and z once each".to_owned(),
        ));
    }
    let share_of = |property: &Property| match (property.length, property.name.as_slice()) {
        (None, b"red" | b"diffuse_red") => Some(0),
        (None, b"green" | b"diffuse_green") => Some(1),
        (None, b"blue" | b"diffuse_blue") => Some(2),
        _ => None,
    };
    let shares: Vec<Option<usize>> = element.properties.iter().map(share_of).collect();
    let is_coloured = (0..3).all(|i| shares.iter().filter(|is| **is == Some(i)).count() == 1);
    let mut colours = Vec::new();
    for _ in 0..element.count {
        let mut point = Point3::origin();
        let mut colour = [0.0; 3];
        for ((property, axis), share) in element.properties.iter().zip(&axes).zip(&shares) {
            match (axis, share) {
                (Some(axis), _) => point[*axis] = source.float(property.scalar)?,
                (None, Some(share)) => {
                    let whole = property.scalar.largest_share();
                    colour[*share] = (source.float(property.scalar)? / whole) as f32;
                }
                (None, None) => source.skip_property(property)?,
            }
        }
        mesh.points.push(point);
        if is_coloured {
            colours.push(colour.map(linear));
        }
    }
    if is_coloured && colours.len() == mesh.points.len() {
        mesh.fields.push(Field::colours(&colours));
    }
    Ok(())
}

fn faces(
    source: &mut NumberReader<'_>,
    element: &Element,
    mesh: &mut RawMesh,
) -> Result<(), FormatError> {
    let is_list = |property: &Property| {
        property.length.is_some()
            && matches!(property.name.as_slice(), b"vertex_indices" | b"vertex_index")
    };
    let mut corners = Vec::new();
    for _ in 0..element.count {
        for property in &element.properties {
            let Some(length) = property.length.filter(|_| is_list(property)) else {
                source.skip_property(property)?;
                continue;
            };
            corners.clear();
            for _ in 0..source.integer(length)? {
                let index = source.integer(property.scalar)?;
                let place = u32::try_from(index).unwrap_or(MISSING);
                if place == MISSING {
                    mesh.note_missing(mesh.triangles.len(), index);
                }
                corners.push(place);
            }
            mesh.add_polygon(&corners);
        }
    }
    Ok(())
}

struct NumberReader<'a> {
    scanner: Scanner<'a>,
    form: Form,
}

impl NumberReader<'_> {
    fn bytes(&mut self, scalar: Scalar) -> Result<&[u8], FormatError> {
        self.scanner.take(1, scalar.n_bytes(), "a property")
    }

    fn float(&mut self, scalar: Scalar) -> Result<f64, FormatError> {
        match self.form {
            // Numbers of single precision are rounded as in the binary forms.
            Form::Text if scalar == Scalar::F32 => {
                Ok(self.scanner.word::<f32>("a coordinate")?.into())
            }
            Form::Text => self.scanner.word("a coordinate"),
            Form::Binary(order) => Ok(scalar.float(self.bytes(scalar)?, order)),
        }
    }

    fn integer(&mut self, scalar: Scalar) -> Result<i64, FormatError> {
        match self.form {
            Form::Text => self.scanner.word("a whole number"),
            Form::Binary(order) => Ok(scalar.integer(self.bytes(scalar)?, order)),
        }
    }

    fn skip_property(&mut self, property: &Property) -> Result<(), FormatError> {
        let count = match property.length {
            Some(length) => self.integer(length)?,
            None => 1,
        };
        let count = usize::try_from(count).unwrap_or(0);
        match self.form {
            Form::Text => {
                for _ in 0..count {
                    self.scanner.expect_word("a property")?;
                }
            }
            Form::Binary(_) => {
                self.scanner.take(count, property.scalar.n_bytes(), "a property")?;
            }
        }
        Ok(())
    }

    fn skip(&mut self, element: &Element) -> Result<(), FormatError> {
        for _ in 0..element.count {
            for property in &element.properties {
                self.skip_property(property)?;
            }
        }
        Ok(())
    }
}
