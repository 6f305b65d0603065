//! The disk galaxy compared with its profiles and its equilibrium.

use nbody_models::{Component, Error, Particle, Snapshot, galaxy};

/// Samples a galaxy and requires that all of its numbers are finite.
fn finite(n: usize, seed: u64) -> Snapshot {
    let snapshot = galaxy(n, seed).unwrap();
    assert_eq!(snapshot.particles.len(), n);
    for particle in &snapshot.particles {
        let finite = particle.pos.iter().chain(&particle.vel).all(|x| x.is_finite());
        assert!(finite && particle.mass.is_finite(), "{particle:?}");
    }
    snapshot
}

/// Samples particles relative to the centre of the disk.
fn about_disk(n: usize, seed: u64) -> Vec<Particle> {
    let particles = finite(n, seed).particles;
    let disk = &particles[Component::Disk.range(n)];
    let mean = |of: fn(&Particle) -> [f64; 3]| {
        [0, 1, 2].map(|c| disk.iter().map(|p| of(p)[c]).sum::<f64>() / disk.len() as f64)
    };
    let (pos, vel) = (mean(|p| p.pos), mean(|p| p.vel));
    let relative = |p: &Particle| Particle {
        mass: p.mass,
        pos: [0, 1, 2].map(|c| p.pos[c] - pos[c]),
        vel: [0, 1, 2].map(|c| p.vel[c] - vel[c]),
    };
    particles.iter().map(relative).collect()
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the distance from the axis, and the radial and the tangential velocity.
fn cylindrical(particle: &Particle) -> [f64; 3] {
    let Particle { pos: [x, y, _], vel: [vx, vy, _], .. } = *particle;
    let radius = (x * x + y * y).sqrt();
    [radius, (x * vx + y * vy) / radius, (x * vy - y * vx) / radius]
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the mass of a Hernquist sphere within a radius, truncated at `end`.
fn hernquist(radius: f64, scale: f64, end: f64) -> f64 {
    let whole = |r: f64| r * r / ((r + scale) * (r + scale));
    whole(radius.min(end)) / whole(end)
}

/// Returns the mass of an exponential disk within a radius, truncated at 10.
fn exponential(radius: f64) -> f64 {
    let whole = |r: f64| 1.0 - (1.0 + r) * (-r).exp();
    whole(radius.min(10.0)) / whole(10.0)
}

fn circular_speed(radius: f64) -> f64 {
    let disk = 0.15 * exponential(radius);
    let spheres = 0.05 * hernquist(radius, 0.2, 3.0) + 0.8 * hernquist(radius, 3.0, 30.0);
    ((disk + spheres) / radius).sqrt()
}

/// Returns the Kolmogorov-Smirnov statistic in units of its critical value at the 1% level,
/// 1.63/√n.
fn deviation(mut values: Vec<f64>, profile: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let apart = |(k, &value): (usize, &f64)| (profile(value) - (k as f64 + 0.5) / n).abs();
    let apart: Vec<f64> = values.iter().enumerate().map(apart).collect();
    assert!(apart.iter().all(|x| x.is_finite()) && n > 0.0);
    apart.into_iter().fold(0.0, f64::max) * n.sqrt() / 1.63
}

#[test]
fn components_have_their_shares_of_the_mass() {
    let snapshot = finite(2000, 1);
    assert!((snapshot.mass() - 1.0).abs() < 1e-12);
    assert!(snapshot.particles.iter().all(|particle| particle.mass == 1.0 / 2000.0));
    assert_eq!(Component::ALL.map(|it| it.range(2000)), [0..300, 300..400, 400..2000]);
    assert_eq!(Component::ALL.map(Component::mass), [0.15, 0.05, 0.8]);
    assert_eq!(Component::ALL.map(Component::scale_length), [1.0, 0.2, 3.0]);
    for n in [0, 1, 2, 3, 7, 1_000_003, usize::MAX] {
        let [disk, bulge, halo] = Component::ALL.map(|it| it.range(n));
        assert_eq!((disk.start, disk.end, bulge.end, halo.end), (0, bulge.start, halo.start, n));
        assert!(disk.end <= bulge.end && bulge.end <= n);
    }
}

#[test]
fn the_centre_of_mass_rests_at_the_origin() {
    let snapshot = finite(1000, 2);
    for c in 0..3 {
        let pos: f64 = snapshot.particles.iter().map(|p| p.mass * p.pos[c]).sum();
        let vel: f64 = snapshot.particles.iter().map(|p| p.mass * p.vel[c]).sum();
        assert!(pos.abs() < 1e-13 && vel.abs() < 1e-13, "{pos} {vel}");
    }
}

#[test]
fn bulge_and_halo_are_hernquist_spheres() {
    // Half of the mass is within r = a q / (1 − q), where q² is half of the share of a complete
    // sphere within the end.
    let n = 40_000;
    let galaxy = about_disk(n, 3);
    for (which, scale, end) in [(Component::Bulge, 0.2, 3.0), (Component::Halo, 3.0, 30.0)] {
        let particles = galaxy[which.range(n)].to_vec();
        let radii: Vec<f64> = particles.iter().map(|p| dot(p.pos, p.pos).sqrt()).collect();
        let found = deviation(radii, |r| hernquist(r, scale, end));
        assert!(found < 1.0, "{which:?}: {found}");
        let q = (0.5_f64).sqrt() * end / (end + scale);
        let half = scale * q / (1.0 - q);
        let found = Snapshot { time: 0.0, particles }.lagrangian_radii(&[0.5])[0];
        assert!((found / half - 1.0).abs() < 0.08, "{which:?}: {found} {half}");
    }
}

#[test]
fn the_disk_is_exponential_and_thin() {
    let n = 40_000;
    let disk = &about_disk(n, 4)[Component::Disk.range(n)];
    let radii: Vec<f64> = disk.iter().map(|p| cylindrical(p)[0]).collect();
    // The mean of R exp(−R) is 2 scale lengths.
    assert!((mean(&radii) / 2.0 - 1.0).abs() < 0.03, "{}", mean(&radii));
    let found = deviation(radii, exponential);
    assert!(found < 1.0, "{found}");
    // The mean of |z| is z₀ ln 2, z₀ = 0.1; the fraction below z is given by tanh(z/z₀).
    let heights: Vec<f64> = disk.iter().map(|p| p.pos[2]).collect();
    let height = heights.iter().map(|z| z.abs()).sum::<f64>() / heights.len() as f64;
    assert!((height / 0.1 - 2.0_f64.ln()).abs() < 0.03, "{height}");
    let found = deviation(heights, |z| 0.5 + 0.5 * (z / 0.1).tanh());
    assert!(found < 1.0, "{found}");
}

#[test]
fn the_disk_rotates_and_the_spheres_do_not() {
    let n = 40_000;
    let galaxy = about_disk(n, 5);
    let disk = &galaxy[Component::Disk.range(n)];
    for radius in [1.0, 2.0, 3.0, 5.0] {
        let near = |v: &[f64; 3]| (v[0] / radius - 1.0).abs() < 0.1;
        let ring: Vec<_> = disk.iter().map(cylindrical).filter(near).collect();
        let [radial, tangential] = [1, 2].map(|c| ring.iter().map(|v| v[c]).collect::<Vec<_>>());
        let ratio = mean(&tangential) / circular_speed(radius);
        // Asymmetric drift: a little slower than a circular orbit.
        assert!(ratio > 0.9 && ratio < 1.0, "{radius}: {ratio}");
        assert!(mean(&radial).abs() < 0.02, "{radius}: {}", mean(&radial));
    }
    for which in [Component::Bulge, Component::Halo] {
        let sphere = &galaxy[which.range(n)];
        let spin = mean(&sphere.iter().map(|p| cylindrical(p)[2]).collect::<Vec<_>>());
        assert!(spin.abs() < 0.02, "{which:?}: {spin}");
    }
}

#[test]
fn the_disk_is_stable_by_toomres_criterion() {
    // Q = σκ / (3.36 Σ) at R = 2; the epicyclic frequency κ from the circular speed nearby.
    let ring = |v: &[f64; 3]| (v[0] - 2.0).abs() < 0.2;
    let n = 40_000;
    let disk = &about_disk(n, 6)[Component::Disk.range(n)];
    let radial: Vec<f64> =
        disk.iter().map(cylindrical).filter(ring).map(|v| v[1].powi(2)).collect();
    let squared = |r: f64| (circular_speed(r) / r).powi(2);
    // κ² = R dΩ²/dR + 4Ω²
    let kappa = (2.0 * (squared(2.01) - squared(1.99)) / 0.02 + 4.0 * squared(2.0)).sqrt();
    let surface = 0.15 * (-2.0_f64).exp() / std::f64::consts::TAU;
    let q = mean(&radial).sqrt() * kappa / (3.36 * surface);
    assert!((q - 1.5).abs() < 0.15, "{q}");
}

#[test]
fn each_component_is_near_virial_equilibrium() {
    // Twice the kinetic energy equals the virial, the sum of −m x · a over the particles. It is
    // summed directly over the first particles of each component; the tolerance covers the noise
    // of sampling, and the flat shape of the disk, which the velocities neglect.
    let (n, targets) = (4000, 200);
    let particles = finite(n, 1).particles;
    let mut bound = 0;
    for component in Component::ALL {
        let (mut kinetic, mut virial) = (0.0, 0.0);
        for target in particles[component.range(n)].iter().take(targets) {
            let (potential, moment) = field(target, &particles);
            let speed2 = dot(target.vel, target.vel);
            bound += usize::from(0.5 * speed2 + potential < 0.0);
            kinetic += speed2;
            virial -= moment;
        }
        assert!((kinetic / virial - 1.0).abs() < 0.1, "{component:?}: {kinetic} {virial}");
    }
    assert!(bound >= 3 * targets - 2, "{bound} are bound");
}

/// Returns the potential of all other particles at a particle, and the scalar product of its
/// position and its acceleration.
fn field(target: &Particle, particles: &[Particle]) -> (f64, f64) {
    let (mut potential, mut moment) = (0.0, 0.0);
    for source in particles {
        let d = [0, 1, 2].map(|c| source.pos[c] - target.pos[c]);
        let r2 = dot(d, d);
        if r2 > 0.0 {
            let term = source.mass / r2.sqrt();
            potential -= term;
            moment += term / r2 * dot(target.pos, d);
        }
    }
    (potential, moment)
}

#[test]
fn halo_velocities_are_isotropic() {
    let n = 20_000;
    let halo = &about_disk(n, 8)[Component::Halo.range(n)];
    // The radial direction takes a third of the mean square, where no direction is preferred.
    let squares = halo.iter().map(|p| dot(p.vel, p.vel)).collect::<Vec<_>>();
    let radial = |p: &Particle| dot(p.pos, p.vel).powi(2) / dot(p.pos, p.pos);
    let radial = halo.iter().map(radial).collect::<Vec<_>>();
    let vertical = halo.iter().map(|p| p.vel[2].powi(2)).collect::<Vec<_>>();
    for part in [mean(&radial), mean(&vertical)] {
        let share = part / mean(&squares);
        assert!((share * 3.0 - 1.0).abs() < 0.05, "{share}");
    }
}

#[test]
fn the_whole_is_near_virial_equilibrium() {
    // The tolerance covers the noise of sampling with its close pairs.
    let snapshot = finite(2000, 7);
    let ratio = -2.0 * snapshot.kinetic_energy() / snapshot.potential_energy();
    assert!((ratio - 1.0).abs() < 0.06, "{ratio}");
}

#[test]
fn small_galaxies_are_fine() {
    for n in 1..30 {
        assert!((finite(n, 1).mass() - 1.0).abs() < 1e-12);
    }
    assert_eq!(finite(1, 1).particles[0].pos, [0.0; 3]);
}

#[test]
fn a_seed_gives_the_same_particles_on_every_platform() {
    assert_eq!(galaxy(100, 7).unwrap(), galaxy(100, 7).unwrap());
    assert_ne!(galaxy(100, 7).unwrap(), galaxy(100, 8).unwrap());
    // A recorded digest of all bits: a change of the recipe or of its random numbers fails here.
    let particles = galaxy(100, 1).unwrap().particles;
    let numbers = particles.iter().flat_map(|p| p.pos.into_iter().chain(p.vel));
    let digest = numbers.fold(0_u64, |digest, x| digest.rotate_left(5) ^ x.to_bits());
    assert_eq!(digest, DIGEST, "{digest:x}");
}

const DIGEST: u64 = 0x6718_f864_9651_843e;

#[test]
fn impossible_models_are_refused() {
    assert!(matches!(galaxy(0, 1), Err(Error::TooFew { found: 0, expected: 1, .. })));
}

#[test]
fn more_particles_than_fit_into_memory_are_refused() {
    for n in [1 << 48, usize::MAX / 100, usize::MAX] {
        let message = galaxy(n, 1).unwrap_err().to_string();
        assert!(message.contains("a galaxy of so many does not fit into memory"), "{message}");
    }
}
