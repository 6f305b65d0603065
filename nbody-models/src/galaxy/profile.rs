//! Mass profiles of the components, with the mass of the disk spread over spheres.

use super::component::Component;

impl Component {
    /// Returns the radius at which the component is truncated.
    pub(super) fn end(self) -> f64 {
        let scale_lengths = match self {
            Self::Disk | Self::Halo => 10.0,
            Self::Bulge => 15.0,
        };
        scale_lengths * self.scale_length()
    }

    /// Returns the mass of the profile before truncation.
    pub(super) fn whole_mass(self) -> f64 {
        self.mass() / self.fraction(self.end())
    }

    /// Returns the mass within a radius.
    pub(super) fn mass_within(self, radius: f64) -> f64 {
        self.whole_mass() * self.fraction(radius.min(self.end()))
    }

    /// Returns the derivative of the mass within a radius by the logarithm of the radius: 4π r³ ρ.
    pub(super) fn shell(self, radius: f64) -> f64 {
        if radius > self.end() {
            return 0.0;
        }
        let x = radius / self.scale_length();
        let slope = match self {
            Self::Disk => x * x * libm::exp(-x),
            Self::Bulge | Self::Halo => 2.0 * x * x / ((1.0 + x) * (1.0 + x) * (1.0 + x)),
        };
        self.whole_mass() * slope
    }

    /// Returns the share of the mass within a radius, without truncation.
    fn fraction(self, radius: f64) -> f64 {
        let x = radius / self.scale_length();
        match self {
            Self::Disk => -libm::expm1(-x) - x * libm::exp(-x),
            Self::Bulge | Self::Halo => (x / (1.0 + x)) * (x / (1.0 + x)),
        }
    }
}

/// Returns the mass of all components within a radius.
pub(super) fn total_within(radius: f64) -> f64 {
    Component::ALL.iter().map(|component| component.mass_within(radius)).sum()
}

/// Returns the derivative of the mass of all components by the logarithm of the radius.
pub(super) fn total_shell(radius: f64) -> f64 {
    Component::ALL.iter().map(|component| component.shell(radius)).sum()
}
