//! The code that is compiled for each law: its loops over pairs and over particles, and its pair
//! function on the numbers of checks.

mod checked_pair;
mod hits;
mod listed;
mod pairs;
mod particles;
mod tuples;
mod variant;
