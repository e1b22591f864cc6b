//! Reads valid files that a fuzzer has damaged; the body is in the library.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| objects_fuzz::damaged_file(bytes));
