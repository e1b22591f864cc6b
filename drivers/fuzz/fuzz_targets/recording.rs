//! Files that may be recordings from a fuzzer; the body is in the library.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivers_fuzz::recording(bytes));
