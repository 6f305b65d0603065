/// Forces that are derived from energies.
pub mod gradients {
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Yukawa<Real: ::nbody::__private::Lane = f64> {
        pub kappa: Real,
        pub switch: Real,
        pub end: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Yukawa<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                kappa: ::core::default::Default::default(),
                switch: ::core::default::Default::default(),
                end: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Yukawa<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Yukawa<__M>;
        type Host = Yukawa<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "kappa",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "switch",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "end",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                kappa: __from.real(),
                switch: __from.real(),
                end: __from.real(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.kappa);
            __to.real(self.switch);
            __to.real(self.end);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Yukawa<f32> {}
    unsafe impl ::nbody::__private::Pod for Yukawa<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Yukawa<f64> {}
    unsafe impl ::nbody::__private::Pod for Yukawa<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Atom<Real: ::nbody::__private::Lane = f64> {
        pub pos: ::nbody::__private::Point<Real>,
        pub charge: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Atom<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pos: ::nbody::__private::Point::default(),
                charge: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Atom<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Atom<__M>;
        type Host = Atom<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "pos",
                kind: ::nbody::__private::FieldKind::Point(3usize),
            },
            ::nbody::__private::Field {
                name: "charge",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                pos: ::nbody::__private::Point::read(__from),
                charge: __from.real(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pos.write(__to);
            __to.real(self.charge);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Atom<f32> {}
    unsafe impl ::nbody::__private::Pod for Atom<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Atom<f64> {}
    unsafe impl ::nbody::__private::Pod for Atom<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Force<Real: ::nbody::__private::Lane = f64> {
        pub force: ::nbody::__private::Vector<Real>,
        pub energy: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Force<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                force: ::nbody::__private::Vector::default(),
                energy: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Force<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Force<__M>;
        type Host = Force<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "force",
                kind: ::nbody::__private::FieldKind::Vector(3usize),
            },
            ::nbody::__private::Field {
                name: "energy",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                force: ::nbody::__private::Vector::read(__from),
                energy: __from.real(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.force.write(__to);
            __to.real(self.energy);
        }
    }
    impl ::nbody::__private::Output for Force {
        #[inline(always)]
        fn select<__L: ::nbody::__private::Lane>(
            __mask: __L::Mask,
            __yes: &Force<__L>,
            __no: &Force<__L>,
        ) -> Force<__L> {
            Force {
                force: ::nbody::__private::Vector::select(
                    __mask,
                    __yes.force,
                    __no.force,
                ),
                energy: __L::select(__mask, __yes.energy, __no.energy),
            }
        }
        #[inline(always)]
        fn compensate<
            __L: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<__L>,
        >(__term: &Force<__L>, __total: &mut Force<__L>, __lost: &mut Force<__L>) {
            for (__k, __x) in __term.force.0.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.force.0[__k],
                    &mut __lost.force.0[__k],
                );
            }
            ::nbody::__private::compensate(
                __term.energy,
                &mut __total.energy,
                &mut __lost.energy,
            );
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Force<f32> {}
    unsafe impl ::nbody::__private::Pod for Force<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Force<f64> {}
    unsafe impl ::nbody::__private::Pod for Force<f64> {}
    #[inline(always)]
    #[allow(clippy::all, clippy::pedantic)]
    /// Falls from 1 to 0 between two distances.
    fn fall<Real: ::nbody::__private::Lane>(r: Real, switch_: Real, end: Real) -> Real {
        let mut __value = Real::default();
        let mut __on = Real::splat_mask(true);
        let __holds_1 = Real::le(r, switch_);
        {
            let __when_1 = __holds_1;
            __value = Real::select((__when_1 & __on), Real::splat(1.0), __value);
            __on = __on & !__when_1;
        }
        if !Real::any(__on) {
            return __value;
        }
        let x = (r - switch_) / (end - switch_);
        Real::select(
            __on,
            Real::splat(1.0)
                .minus_product(
                    x * x,
                    Real::splat(3.0).minus_product(Real::splat(2.0), x),
                ),
            __value,
        )
    }
    unsafe impl ::nbody::__private::Interaction for Yukawa {
        type I = Atom;
        type J = Atom;
        type F = Force;
        const LAW: &'static ::nbody::__private::Law = &::nbody::__private::Declaration {
            name: "yukawa",
            self_pairs: false,
            cutoff: false,
            cutoff_reads: [&[], &[]],
            reach: &[],
            charges: ::core::result::Result::Ok(::nbody::__private::Charges {
                products: &[&[3usize]],
                carried: &[
                    ::nbody::__private::Carried::Zero,
                    ::nbody::__private::Carried::Zero,
                    ::nbody::__private::Carried::Zero,
                    ::nbody::__private::Carried::Charge(0usize),
                ],
                sums: &[
                    ::nbody::__private::ChargeSum {
                        charges: &[0usize],
                        depends_on_i: true,
                    },
                    ::nbody::__private::ChargeSum {
                        charges: &[0usize],
                        depends_on_i: true,
                    },
                ],
            }),
            operations: ::nbody::__private::Operations {
                add: 22u32,
                mul: 22u32,
                div: 7u32,
                sqrt: 1u32,
                special: 2u32,
                compare: 3u32,
            },
            most_counted: ::core::option::Option::Some(0u32),
            cuda: ::nbody::__private::CudaText {
                law: "struct Yukawa {\n    real kappa;\n    real switch_;\n    real end;\n};\n\nstruct alignas(packing(3 * COORDINATE + 1)) Atom {\n    Point<3> pos;\n    real charge;\n};\n\nstruct Force {\n    Vector<3> force;\n    real energy;\n};\n\n// Falls from 1 to 0 between two distances.\n__device__ __forceinline__ real fall(real r, real switch_, real end)\n{\n    if (r <= switch_) {\n        return real(1.0);\n    }\n    const real x = divide(r - switch_, end - switch_);\n    return real(1.0) - x * x * (real(3.0) - real(2.0) * x);\n}\n\n// Adds to f what j does to i.\n__device__ __forceinline__ void pair(\n    const Yukawa &self, const Space &space, const Atom &i, const Atom &j, Force &f)\n{\n    const real r = norm(space.difference(i.pos, j.pos));\n    const real e = divide(i.charge * j.charge * exp(-self.kappa * r), r)\n        * fall(r, self.switch_, self.end);\n    f.energy += real(0.5) * e;\n    // The force on i.\n    const real part = self.end - self.switch_;\n    const real part_2 = real(2.0) * divide(r - self.switch_, part);\n    f.force -= divide((r <= self.switch_ ? real(0.0)\n        : divide(divide(i.charge * j.charge * exp(-self.kappa * r), r) * part_2\n        * (real(0.5) * part_2 - (real(3.0) - part_2)), part)) - e\n        * (divide(real(1.0), r) + self.kappa), r) * space.difference(i.pos, j.pos);\n}\n\n",
                sums: "// The names by which kernels know the law.\nusing Parameters = law::Yukawa;\nusing ParticleI = law::Atom;\nusing ParticleJ = law::Atom;\nusing Accumulators = law::Force;\nconstexpr int IDIM = 3 * COORDINATE + 1;\nconstexpr int JDIM = 3 * COORDINATE + 1;\nconstexpr int FDIM = 4;\nconstexpr bool SELF_PAIRS = false;\nconstexpr bool LOOKS_UP = false;\nconstexpr bool KEEPS_INDEX = false;\nconstexpr bool CUTOFF = false;\nconstexpr bool CUTOFF_READS_J = false;\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] += f.force.x;\n    total[1] += f.force.y;\n    total[2] += f.force.z;\n    total[3] += f.energy;\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    for (int k = 0; k < FDIM; ++k) total[k] += part[k];\n}\n\n",
                compensated: "// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.\n__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)\n{\n    compensate(term.force, f.force, lost.force);\n    compensate(term.energy, f.energy, lost.energy);\n}\n\n",
            },
            third_law: ::core::option::Option::Some(::nbody::__private::ThirdLaw {
                cuda: "// Adds to f what j does to i, and to g what i does to j.\n__device__ __forceinline__ void pair_symmetric(\n    const Yukawa &self, const Space &space, const Atom &i, const Atom &j, Force &f, Force &g)\n{\n    const real r = norm(space.difference(i.pos, j.pos));\n    const real e = divide(i.charge * j.charge * exp(-self.kappa * r), r)\n        * fall(r, self.switch_, self.end);\n    f.energy += real(0.5) * e;\n    g.energy += real(0.5) * e;\n    // The force on i.\n    const real part = self.end - self.switch_;\n    const real part_2 = real(2.0) * divide(r - self.switch_, part);\n    const real force_factor = divide((r <= self.switch_ ? real(0.0)\n        : divide(divide(i.charge * j.charge * exp(-self.kappa * r), r) * part_2\n        * (real(0.5) * part_2 - (real(3.0) - part_2)), part)) - e\n        * (divide(real(1.0), r) + self.kappa), r);\n    const Vector<3> pos_i_minus_pos_j = space.difference(i.pos, j.pos);\n    f.force -= force_factor * pos_i_minus_pos_j;\n    g.force += force_factor * pos_i_minus_pos_j;\n}\n\n",
                operations: ::nbody::__private::Operations {
                    add: 26u32,
                    mul: 26u32,
                    div: 7u32,
                    sqrt: 1u32,
                    special: 2u32,
                    compare: 3u32,
                },
            }),
        }
            .law::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic)]
        fn pair<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Yukawa<Real>,
            space: &__Space,
            i: &Atom<Real>,
            j: &Atom<Real>,
            _index: Real::U32,
            f: &mut Force<Real>,
        ) {
            let r = space.difference(i.pos, j.pos).norm();
            let e = i.charge * j.charge * ((-this.kappa) * r).exp() / r
                * fall::<Real>(r, this.switch, this.end);
            f.energy = f.energy.plus_product(Real::splat(0.5), e);
            let part = this.end - this.switch;
            let part_2 = Real::splat(2.0) * ((r - this.switch) / part);
            f.force = f
                .force
                .minus_product(
                    (Real::select(
                            Real::le(r, this.switch),
                            Real::splat(0.0),
                            i.charge * j.charge * ((-this.kappa) * r).exp() / r * part_2
                                * (part_2
                                    .times_minus(Real::splat(0.5), Real::splat(3.0) - part_2))
                                / part,
                        )
                        .minus_product(e, Real::splat(1.0) / r + this.kappa)) / r,
                    space.difference(i.pos, j.pos),
                );
        }
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic)]
        fn pair_symmetric<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Yukawa<Real>,
            space: &__Space,
            i: &Atom<Real>,
            j: &Atom<Real>,
            f: &mut Force<Real>,
            g: &mut Force<Real>,
        ) {
            let r = space.difference(i.pos, j.pos).norm();
            let e = i.charge * j.charge * ((-this.kappa) * r).exp() / r
                * fall::<Real>(r, this.switch, this.end);
            f.energy = f.energy.plus_product(Real::splat(0.5), e);
            g.energy = g.energy.plus_product(Real::splat(0.5), e);
            let part = this.end - this.switch;
            let part_2 = Real::splat(2.0) * ((r - this.switch) / part);
            let force_factor = (Real::select(
                    Real::le(r, this.switch),
                    Real::splat(0.0),
                    i.charge * j.charge * ((-this.kappa) * r).exp() / r * part_2
                        * (part_2
                            .times_minus(Real::splat(0.5), Real::splat(3.0) - part_2))
                        / part,
                )
                .minus_product(e, Real::splat(1.0) / r + this.kappa)) / r;
            let pos_i_minus_pos_j = space.difference(i.pos, j.pos);
            f.force = f.force.minus_product(force_factor, pos_i_minus_pos_j);
            g.force = g.force.plus_product(force_factor, pos_i_minus_pos_j);
        }
        #[inline(never)]
        fn cpu_loops(
            __variant: ::nbody::__private::Variant,
        ) -> ::nbody::__private::Compiled {
            __variant
                .of::<
                    Self,
                    __units_of_Yukawa::scalars::Unit,
                    __units_of_Yukawa::singles::Unit,
                    __units_of_Yukawa::doubles::Unit,
                >()
        }
    }
    #[allow(non_snake_case)]
    mod __units_of_Yukawa {
        pub mod scalars {
            pub struct Unit;
        }
        pub mod singles {
            pub struct Unit;
        }
        pub mod doubles {
            pub struct Unit;
        }
    }
}
