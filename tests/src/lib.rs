//! Nothing but a place for the system tests in `system/`.
