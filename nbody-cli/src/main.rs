//! The `nbody` command.

fn main() {}
