//! LIBERTY and PATRIOT frames from a fuzzer; the body is in the library.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivers_fuzz::liberty_frames(bytes));
