//! Another solver in its own process, with a protocol of lines (described in `peers/peers.py`).

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, anyhow, bail};
use physics::linear::Triangle;
use serde_json::{Value, json};

/// A peer process.
pub(crate) struct Peer {
    pub(crate) name: String,
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts `peers.py`.
    pub(crate) fn start(python: &Path, threads: usize, arguments: &[&str]) -> anyhow::Result<Self> {
        let threads = threads.to_string();
        Self::start_script(python, "peers.py", &[&["--threads", &threads], arguments].concat())
    }

    /// Starts a script of the folder `peers`.
    pub(crate) fn start_script(
        python: &Path,
        script: &str,
        arguments: &[&str],
    ) -> anyhow::Result<Self> {
        let script = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/peers")).join(script);
        let mut process = Command::new(python)
            .arg(script)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", python.display()))?;
        let requests = process.stdin.take().context("the peer has no stdin")?;
        let answers = BufReader::new(process.stdout.take().context("the peer has no stdout")?);
        let mut peer = Self { name: String::new(), process, requests, answers };
        let hello = peer.ask(&json!({"do": "hello"}))?;
        let text = |key: &str| hello[key].as_str().unwrap_or("?").to_owned();
        peer.name = format!("{} {}", text("name"), text("version"));
        Ok(peer)
    }

    /// Loads a matrix.
    pub(crate) fn load(&mut self, matrix: &Path) -> anyhow::Result<()> {
        self.ask(&json!({"do": "load", "matrix": matrix})).map(|_| ())
    }

    /// Factorises the matrix; returns seconds of analysis and of the numeric part, and bytes of the
    /// factor.
    pub(crate) fn factorise(&mut self) -> anyhow::Result<(f64, f64, f64)> {
        let answer = self.ask(&json!({"do": "factor"}))?;
        let number = |key: &str| answer[key].as_f64().with_context(|| format!("no {key}"));
        Ok((number("analyse")?, number("numeric")?, number("factor_bytes")?))
    }

    /// Solves for unit forces; returns seconds, and the sum of all displacements.
    pub(crate) fn solve(&mut self, dofs: &[usize]) -> anyhow::Result<(f64, f64)> {
        let answer = self.ask(&json!({"do": "solve", "dofs": dofs}))?;
        let number = |key: &str| answer[key].as_f64().with_context(|| format!("no {key}"));
        Ok((number("seconds")?, number("checksum")?))
    }

    /// Sends a request, and waits for the answer.
    pub(crate) fn ask(&mut self, request: &Value) -> anyhow::Result<Value> {
        writeln!(self.requests, "{request}").context("the peer has ended")?;
        let mut line = String::new();
        self.answers.read_line(&mut line).context("the peer has ended")?;
        let answer: Value = serde_json::from_str(&line)
            .with_context(|| format!("the peer answered {line:?}, expected a JSON object"))?;
        if answer["ok"] != Value::Bool(true) {
            bail!("{}", answer["error"].as_str().unwrap_or("the peer failed"));
        }
        Ok(answer)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Errors are ignored: the peer may have ended already.
        let _ = writeln!(self.requests, "{}", json!({"do": "quit"}));
        let _ = self.process.wait();
    }
}

/// Writes a matrix in the format of `peers.py`.
pub(crate) fn write_matrix(path: &Path, matrix: &Triangle) -> anyhow::Result<()> {
    let n = matrix.starts.len() - 1;
    let mut bytes = b"PALPMAT1".to_vec();
    for number in [n, matrix.rows.len()].iter().chain(&matrix.starts) {
        bytes.extend((*number as u64).to_le_bytes());
    }
    bytes.extend(matrix.rows.iter().flat_map(|row| (*row as u32).to_le_bytes()));
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes.extend(matrix.values.iter().flat_map(|value| value.to_le_bytes()));
    std::fs::write(path, bytes).map_err(|e| anyhow!("cannot write {}: {e}", path.display()))
}
