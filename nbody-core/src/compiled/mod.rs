//! The code that is compiled for each law: its loops over pairs and over particles.

mod hits;
mod listed;
mod pairs;
mod particles;
mod variant;
