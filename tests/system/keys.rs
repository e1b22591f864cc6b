//! Keys that have no letter, as X11 calls them.

pub(crate) const RETURN: u32 = 0xff0d;
pub(crate) const ESCAPE: u32 = 0xff1b;
pub(crate) const HOME: u32 = 0xff50;
pub(crate) const LEFT: u32 = 0xff51;
pub(crate) const UP: u32 = 0xff52;
pub(crate) const RIGHT: u32 = 0xff53;
pub(crate) const PAGE_UP: u32 = 0xff55;
pub(crate) const END: u32 = 0xff57;
pub(crate) const F1: u32 = 0xffbe;
pub(crate) const F9: u32 = 0xffc6;
pub(crate) const F12: u32 = 0xffc9;
pub(crate) const SHIFT: u32 = 0xffe1;
pub(crate) const CONTROL: u32 = 0xffe3;
pub(crate) const ALT: u32 = 0xffe9;
