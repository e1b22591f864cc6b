//! Generates the gRPC code without a system `protoc`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files = ["solver/v1/solver.proto"];
    for file in files {
        println!("cargo::rerun-if-changed={file}");
    }
    let descriptors = protox::compile(files, ["."])?;
    // `bytes::Bytes` instead of `Vec<u8>`: a received array is a view into the message, not a copy.
    tonic_prost_build::configure().bytes(".").compile_fds(descriptors)?;
    Ok(())
}
