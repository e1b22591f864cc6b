//! `--server`: the address of a solver-server on this machine, or the pass file of one on another
//! machine.

use std::fs::File;
use std::io::Read;

use engine::{Pass, ServerUrl};

/// Limit of the bytes read from a pass file. A pass takes less than one kilobyte.
const LONGEST_PASS: u64 = 64 * 1024;

/// Reads an address, or the file with a pass.
pub fn server(text: &str) -> Result<ServerUrl, String> {
    if text.contains("://") {
        return text.parse().map_err(|e: engine::UrlError| e.to_string());
    }
    let mut pass = String::new();
    File::open(text).and_then(|file| file.take(LONGEST_PASS).read_to_string(&mut pass)).map_err(
        |e| {
            format!(
                "cannot read this file: {e}; expected http://127.0.0.1:PORT for a server on this \
                 machine, or the pass file of a server on another machine"
            )
        },
    )?;
    let pass: Pass = pass.parse().map_err(|e| format!("this file is not a pass: {e}"))?;
    // Saved as an absolute path: the program may be started in another folder the next time.
    let file = std::path::absolute(text).unwrap_or_else(|_| text.into());
    Ok(ServerUrl::with_pass(pass, file))
}
