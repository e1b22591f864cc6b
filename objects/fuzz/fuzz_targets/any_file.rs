//! Reads bytes from a fuzzer as any kind of file; the body is in the library.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| objects_fuzz::any_file(bytes));
