//! The attribute macro over nbody-codegen.
