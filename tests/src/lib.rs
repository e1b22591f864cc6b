//! System tests live in `system/`.
