//! Reads a file of a million tetrahedra, and compares the time with that of a plain loop over its
//! bytes.
//!
//! Machines are noisy: both are measured alternately in one run, and only the ratios count.

use std::fs;
use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use nalgebra::Point3;
use objects::format::{GmshDialect, Limits, no_siblings, open, parse, write_gmsh};
use objects::{FileKind, ReadingOptions, Unit};
use physics::TetMesh;

/// Cells along an edge of the cube; each has six tetrahedra.
const N_CELLS: usize = 56;
/// Number of measurements; the fastest one counts.
const N_ROUNDS: usize = 15;
/// Smallest acceptable speed of the reader, relative to the plain loop.
const TARGET: f64 = 0.5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout();
    // Test runs of all targets start this, too, without `--bench`: then one small round is enough.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let (n_cells, n_rounds) = if is_bench { (N_CELLS, N_ROUNDS) } else { (3, 1) };
    let mesh = objects::generate::cube(0.1, n_cells)?;
    let (n_nodes, n_elements) = (mesh.n_nodes(), mesh.elements().len());
    writeln!(
        out,
        "{n_nodes} nodes, {n_elements} tetrahedra; least times of {n_rounds} rounds in ms"
    )?;
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reading-{}", std::process::id()));
    for (name, dialect, plain) in [
        ("Gmsh 4.1, binary", GmshDialect::Binary4, plain_4 as Plain),
        ("Gmsh 2.2, binary", GmshDialect::Binary2, plain_2),
    ] {
        fs::write(&path, write_gmsh(&mesh, dialect))?;
        let result = measure(&path, &mesh, n_rounds, plain);
        fs::remove_file(&path)?;
        let [bytes, plain, ours, checked] = result?;
        writeln!(
            out,
            "{name}: bytes alone {bytes:.1}, plain loop {plain:.1}, read {ours:.1}, read and \
             checked {checked:.1}; plain / read {:.2}, target {TARGET}",
            plain / ours
        )?;
    }
    Ok(())
}

/// Function that reads nodes and elements from bytes whose layout is known.
type Plain = fn(&[u8], usize, usize) -> Arrays;
type Arrays = (Vec<Point3<f64>>, Vec<[u32; 4]>);

/// Shortest times in ms: of reading the bytes only, with the plain loop, with the reader, with all
/// checks.
fn measure(
    path: &Path,
    mesh: &TetMesh,
    n_rounds: usize,
    plain: Plain,
) -> Result<[f64; 4], Box<dyn std::error::Error>> {
    let (n_nodes, n_elements) = (mesh.n_nodes(), mesh.elements().len());
    let reading = ReadingOptions { unit: Some(Unit::Metre), ..ReadingOptions::default() };
    let mut least = [f64::INFINITY; 4];
    for round in 0..n_rounds {
        let mut note = |i: usize, start: Instant| {
            least[i] = least[i].min(1e3 * start.elapsed().as_secs_f64());
        };
        let start = Instant::now();
        black_box(fs::read(path)?);
        note(0, start);
        let start = Instant::now();
        let expected = black_box(plain(&fs::read(path)?, n_nodes, n_elements));
        note(1, start);
        let start = Instant::now();
        let bytes = fs::read(path)?;
        let raw = black_box(parse(FileKind::Gmsh, &bytes, &mut no_siblings, &Limits::default())?);
        drop(bytes);
        note(2, start);
        assert!((raw.points, raw.tetrahedra) == expected, "both must give the same arrays");
        // The checks take so much longer that three rounds are enough.
        if round < 3 {
            let start = Instant::now();
            black_box(open(FileKind::Gmsh, &fs::read(path)?, &mut no_siblings, &reading)?);
            note(3, start);
        }
    }
    Ok(least)
}

fn plain_4(bytes: &[u8], n_nodes: usize, n_elements: usize) -> Arrays {
    // The counts of the section, the header of the block, and its numbers of nodes come first.
    let nodes = after(bytes, b"$Nodes\n") + 4 * 8 + 3 * 4 + 8 + 8 * n_nodes;
    let points = points(bytes[nodes..].chunks_exact(24).take(n_nodes));
    let begin = nodes + 24 * n_nodes;
    let elements = begin + after(&bytes[begin..], b"$Elements\n") + 4 * 8 + 3 * 4 + 8;
    let rows = bytes[elements..].as_chunks::<40>().0[..n_elements].iter();
    let number = |word: [u8; 8]| (u64::from_le_bytes(word) - 1) as u32;
    let tetrahedra = rows.map(|row| {
        let (words, _) = row.as_chunks();
        [number(words[1]), number(words[2]), number(words[3]), number(words[4])]
    });
    (points, tetrahedra.collect())
}

fn plain_2(bytes: &[u8], n_nodes: usize, n_elements: usize) -> Arrays {
    let nodes = after(bytes, format!("$Nodes\n{n_nodes}\n").as_bytes());
    let points = points(bytes[nodes..].chunks_exact(28).take(n_nodes).map(|row| &row[4..]));
    let begin = nodes + 28 * n_nodes;
    let section = format!("$Elements\n{n_elements}\n");
    let elements = begin + after(&bytes[begin..], section.as_bytes()) + 3 * 4;
    let rows = bytes[elements..].as_chunks::<28>().0[..n_elements].iter();
    let number = |word: [u8; 4]| u32::from_le_bytes(word) - 1;
    let tetrahedra = rows.map(|row| {
        let (words, _) = row.as_chunks();
        [number(words[3]), number(words[4]), number(words[5]), number(words[6])]
    });
    (points, tetrahedra.collect())
}

fn points<'a>(rows: impl Iterator<Item = &'a [u8]>) -> Vec<Point3<f64>> {
    let coordinate = |word: [u8; 8]| f64::from_le_bytes(word);
    rows.map(|row| {
        let (words, _) = row.as_chunks();
        Point3::new(coordinate(words[0]), coordinate(words[1]), coordinate(words[2]))
    })
    .collect()
}

/// Position after the first occurrence of `text`.
fn after(bytes: &[u8], text: &[u8]) -> usize {
    let found = bytes.windows(text.len()).position(|window| window == text);
    found.expect("the file has this section") + text.len()
}
