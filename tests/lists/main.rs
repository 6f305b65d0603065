//! Neighbour lists, on every device.

#[cfg(not(feature = "quick"))]
mod all_pairs;
#[cfg(not(feature = "quick"))]
mod bounds;
#[cfg(not(feature = "quick"))]
mod cutoffs;
#[cfg(not(feature = "quick"))]
mod devices;
#[cfg(not(feature = "quick"))]
mod excluded;
#[cfg(not(feature = "quick"))]
mod given;
#[cfg(not(feature = "quick"))]
mod grains;
mod motion;
mod pairs;
#[cfg(not(feature = "quick"))]
mod plain;
#[cfg(not(feature = "quick"))]
mod points;
mod published;
#[cfg(not(feature = "quick"))]
mod records;
mod refusals;
mod scales;
mod screen;
#[cfg(not(feature = "quick"))]
mod states;
#[cfg(not(feature = "quick"))]
mod ties;
#[cfg(not(feature = "quick"))]
mod times;
#[cfg(not(feature = "quick"))]
mod triclinic;
mod updates;
mod ways;
