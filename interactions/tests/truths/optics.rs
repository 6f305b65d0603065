//! Waves from point sources.

use std::f64::consts::TAU;

use nbody::prelude::*;
use nbody_interactions::double_single;
use nbody_interactions::hologram::{Hologram, Pixel, Source};

use crate::near;
use crate::shapes::{norm, sphere};

/// Splits a position into its parts hi and lo.
fn hi_lo(at: [f64; 3]) -> (Vector, Vector) {
    let parts = at.map(double_single);
    (Vector(parts.map(|part| part[0])), Vector(parts.map(|part| part[1])))
}

/// The wave of one source has the phase 2πr/λ + φ and the amplitude a/r. In `f32` on every device,
/// the phase is accurate to 10⁻⁶ up to 2πr/λ of 10⁶.
///
/// Fails with `2.0 * x[0] * x[1]` left out, with `j.lo` in place of `-j.lo` (`two_sum(a_lo,
/// b_lo)`), with `phase.sin()` for both parts, with `- j.phase` and with `rest` left out.
#[test]
fn phase_of_a_spherical_wave() {
    let mut worst = 0.0_f64;
    // Green light and a screen of a few centimetres, in metres.
    let wavelength = 532e-9;
    let [wavenumber, wavenumber_lo] = double_single(1.0 / wavelength);
    let hologram = Hologram { wavenumber, wavenumber_lo };
    let (centre, radius) = ([0.012_345_678_9, -0.023_456_789, 0.1], 1e6 * wavelength / TAU);
    let (pos, lo) = hi_lo(centre);
    let source = Source { pos, lo, amplitude: 2.0, phase: 0.7 };
    let places: Vec<[f64; 3]> = sphere(3000)
        .into_iter()
        .enumerate()
        .map(|(k, p)| {
            let r = radius * (k as f64 + 1.0) / 3000.0;
            std::array::from_fn(|c| centre[c] + r * p[c])
        })
        .collect();
    let pixels: Vec<_> = places.iter().map(|p| hi_lo(*p)).collect();
    let pixels: Vec<_> = pixels.into_iter().map(|(pos, lo)| Pixel { pos, lo }).collect();
    let devices = Device::all();
    assert!(devices.len() > 1, "no device beside the CPU");
    for device in devices {
        let mut direct = AllPairs::new(&device, hologram).unwrap();
        let waves = direct.evaluate::<f64>(&pixels, &[source]).unwrap();
        for (wave, place) in waves.iter().zip(&places) {
            let r = norm(std::array::from_fn(|k| place[k] - centre[k]));
            let turns = r / wavelength;
            let phase = TAU * (turns - turns.round()) + 0.7;
            let error = wave.im.atan2(wave.re) - phase;
            let error = error - TAU * (error / TAU).round();
            near(error, 0.0, 1.0, 1e-6);
            near(wave.re.hypot(wave.im), 2.0 / r, 2.0 / r, 1e-6);
            worst = worst.max(error.abs());
        }
    }
    // The bound must not be far too loose.
    assert!(worst > 1e-8, "{worst:e}");
}
