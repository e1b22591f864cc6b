//! High-resolution records of a CyberGlove III from a fuzzer; the body is in the library.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivers_fuzz::high_resolution_records(bytes));
