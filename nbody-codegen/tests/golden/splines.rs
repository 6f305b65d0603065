/// Functions given as tables.
pub mod splines {
    pub const KNOTS: u32 = 64u32;
    pub const TYPES: u32 = 3u32;
    #[derive(Clone, Debug, PartialEq)]
    #[repr(C)]
    pub struct Tabulated<Real: ::nbody::__private::Lane = f64> {
        pub kind: Real::U32,
        /// An energy over the square of the distance.
        pub energy: ::nbody::__private::Spline<64usize, Real>,
        pub scale: Real,
        pub density: ::nbody::__private::Spline<9usize, Real>,
        /// Energies over the distance, by the kinds of i and j.
        pub of_pair: ::nbody::__private::Splines<12usize, 3usize, 3usize, Real>,
        pub of_kind: ::nbody::__private::Splines<5usize, 3usize, 1, Real>,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Tabulated<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                kind: ::core::default::Default::default(),
                energy: ::core::default::Default::default(),
                scale: ::core::default::Default::default(),
                density: ::core::default::Default::default(),
                of_pair: ::core::default::Default::default(),
                of_kind: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Tabulated<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Tabulated<__M>;
        type Host = Tabulated<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "kind",
                kind: ::nbody::__private::FieldKind::U32,
            },
            ::nbody::__private::Field {
                name: "energy",
                kind: ::nbody::__private::FieldKind::Spline(64usize),
            },
            ::nbody::__private::Field {
                name: "scale",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "density",
                kind: ::nbody::__private::FieldKind::Spline(9usize),
            },
            ::nbody::__private::Field {
                name: "of_pair",
                kind: ::nbody::__private::FieldKind::Splines(9usize, 12usize),
            },
            ::nbody::__private::Field {
                name: "of_kind",
                kind: ::nbody::__private::FieldKind::Splines(3usize, 5usize),
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                kind: __from.index(),
                energy: ::nbody::__private::Spline::read(__from),
                scale: __from.real(),
                density: ::nbody::__private::Spline::read(__from),
                of_pair: ::nbody::__private::Splines::read(__from),
                of_kind: ::nbody::__private::Splines::read(__from),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.index(self.kind);
            self.energy.write(__to);
            __to.real(self.scale);
            self.density.write(__to);
            self.of_pair.write(__to);
            self.of_kind.write(__to);
        }
    }
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Atom<Real: ::nbody::__private::Lane = f64> {
        pub pos: ::nbody::__private::Point<Real>,
        pub density: Real,
        pub kind: Real::U32,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Atom<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pos: ::nbody::__private::Point::default(),
                density: ::core::default::Default::default(),
                kind: ::core::default::Default::default(),
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
                name: "density",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "kind",
                kind: ::nbody::__private::FieldKind::U32,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                pos: ::nbody::__private::Point::read(__from),
                density: __from.real(),
                kind: __from.index(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pos.write(__to);
            __to.real(self.density);
            __to.index(self.kind);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Atom<f32> {}
    unsafe impl ::nbody::__private::Pod for Atom<f32> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Sums<Real: ::nbody::__private::Lane = f64> {
        pub energy: Real,
        pub force: ::nbody::__private::Vector<Real>,
        pub bend: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Sums<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                energy: ::core::default::Default::default(),
                force: ::nbody::__private::Vector::default(),
                bend: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Sums<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Sums<__M>;
        type Host = Sums<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "energy",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "force",
                kind: ::nbody::__private::FieldKind::Vector(3usize),
            },
            ::nbody::__private::Field {
                name: "bend",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                energy: __from.real(),
                force: ::nbody::__private::Vector::read(__from),
                bend: __from.real(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.energy);
            self.force.write(__to);
            __to.real(self.bend);
        }
    }
    impl ::nbody::__private::Output for Sums {
        #[inline(always)]
        fn select<__L: ::nbody::__private::Lane>(
            __mask: __L::Mask,
            __yes: &Sums<__L>,
            __no: &Sums<__L>,
        ) -> Sums<__L> {
            Sums {
                energy: __L::select(__mask, __yes.energy, __no.energy),
                force: ::nbody::__private::Vector::select(
                    __mask,
                    __yes.force,
                    __no.force,
                ),
                bend: __L::select(__mask, __yes.bend, __no.bend),
            }
        }
        #[inline(always)]
        fn compensate<
            __L: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<__L>,
        >(__term: &Sums<__L>, __total: &mut Sums<__L>, __lost: &mut Sums<__L>) {
            ::nbody::__private::compensate(
                __term.energy,
                &mut __total.energy,
                &mut __lost.energy,
            );
            for (__k, __x) in __term.force.0.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.force.0[__k],
                    &mut __lost.force.0[__k],
                );
            }
            ::nbody::__private::compensate(
                __term.bend,
                &mut __total.bend,
                &mut __lost.bend,
            );
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Sums<f32> {}
    unsafe impl ::nbody::__private::Pod for Sums<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Sums<f64> {}
    unsafe impl ::nbody::__private::Pod for Sums<f64> {}
    #[derive(Clone, Debug, PartialEq)]
    #[repr(C)]
    pub struct Embed<Real: ::nbody::__private::Lane = f64> {
        pub embedding: ::nbody::__private::Spline<16usize, Real>,
        pub of_kind: ::nbody::__private::Splines<16usize, 3usize, 1, Real>,
        pub due: Real::U32,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Embed<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                embedding: ::core::default::Default::default(),
                of_kind: ::core::default::Default::default(),
                due: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Embed<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Embed<__M>;
        type Host = Embed<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "embedding",
                kind: ::nbody::__private::FieldKind::Spline(16usize),
            },
            ::nbody::__private::Field {
                name: "of_kind",
                kind: ::nbody::__private::FieldKind::Splines(3usize, 16usize),
            },
            ::nbody::__private::Field {
                name: "due",
                kind: ::nbody::__private::FieldKind::U32,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                embedding: ::nbody::__private::Spline::read(__from),
                of_kind: ::nbody::__private::Splines::read(__from),
                due: __from.index(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.embedding.write(__to);
            self.of_kind.write(__to);
            __to.index(self.due);
        }
    }
    unsafe impl ::nbody::__private::Interaction for Tabulated {
        type I = Atom;
        type J = Atom;
        type F = Sums;
        const LAW: &'static ::nbody::__private::Law = &::nbody::__private::Declaration {
            name: "tabulated",
            self_pairs: false,
            cutoff: false,
            cutoff_reads: [&[], &[]],
            reach: &[],
            charges: ::core::result::Result::Err(
                "the charge `j.kind == self.kind` is no product of fields: make it a field of j",
            ),
            operations: ::nbody::__private::Operations {
                add: 109u32,
                mul: 82u32,
                div: 2u32,
                sqrt: 3u32,
                special: 0u32,
                compare: 0u32,
            },
            most_counted: ::core::option::Option::Some(0u32),
            cuda: ::nbody::__private::CudaText {
                law: "struct Tabulated {\n    alignas(sizeof(real)) u32 kind;\n    Spline<64> energy; // An energy over the square of the distance.\n    real scale;\n    Spline<9> density;\n    Splines<3, 3, 12> of_pair; // Energies over the distance, by the kinds of i and j.\n    Splines<3, 1, 5> of_kind;\n};\n\nstruct alignas(packing(3 * COORDINATE + 2)) Atom {\n    Point<3> pos;\n    real density;\n    alignas(sizeof(real)) u32 kind;\n};\n\nstruct Sums {\n    real energy;\n    Vector<3> force;\n    real bend;\n};\n\n// Adds to f what j does to i.\n__device__ __forceinline__ void pair(\n    const Tabulated &self, const Space &space, const Atom &i, const Atom &j, Sums &f)\n{\n    const real r2 = norm2(space.difference(i.pos, j.pos));\n    const real e = self.energy.at(r2) + self.scale * self.density.at(i.density * sqrt(r2));\n    if (j.kind == self.kind) {\n        f.energy += e;\n    }\n    const real part = sqrt(r2);\n    f.force -= (divide(self.scale * i.density * self.density.slope(i.density * part), part)\n        + real(2.0) * self.energy.slope(r2)) * space.difference(i.pos, j.pos);\n    const real r = sqrt(r2);\n    const real of_pair = self.of_pair.entry(i.kind, j.kind).at(r)\n        * self.of_kind.element(j.kind).at(r);\n    f.energy += of_pair + self.of_kind.element(2u).slope(r);\n    f.force -= divide(self.of_pair.entry(i.kind, j.kind).at(part)\n        * self.of_kind.element(j.kind).slope(part) + self.of_kind.element(j.kind).at(part)\n        * self.of_pair.entry(i.kind, j.kind).slope(part), part) * space.difference(i.pos, j.pos);\n#pragma unroll\n    for (u32 k = 0; k < 3; ++k) {\n        f.bend += self.of_pair.entry(0u, k).curvature(r);\n    }\n    f.bend += self.density.curvature(i.density + j.density) - self.density.third_derivative(r2);\n}\n\n",
                sums: "// The names by which kernels know the law.\nusing Parameters = law::Tabulated;\nusing ParticleI = law::Atom;\nusing ParticleJ = law::Atom;\nusing Accumulators = law::Sums;\nconstexpr int IDIM = 3 * COORDINATE + 2;\nconstexpr int JDIM = 3 * COORDINATE + 2;\nconstexpr int FDIM = 5;\nconstexpr bool SELF_PAIRS = false;\nconstexpr bool LOOKS_UP = true;\nconstexpr bool KEEPS_INDEX = false;\nconstexpr bool CUTOFF = false;\nconstexpr bool CUTOFF_READS_J = false;\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] += f.energy;\n    total[1] += f.force.x;\n    total[2] += f.force.y;\n    total[3] += f.force.z;\n    total[4] += f.bend;\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    for (int k = 0; k < FDIM; ++k) total[k] += part[k];\n}\n\n",
                compensated: "// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.\n__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)\n{\n    compensate(term.energy, f.energy, lost.energy);\n    compensate(term.force, f.force, lost.force);\n    compensate(term.bend, f.bend, lost.bend);\n}\n\n",
            },
            third_law: ::core::option::Option::None,
        }
            .law::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic)]
        fn pair<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Tabulated<Real>,
            space: &__Space,
            i: &Atom<Real>,
            j: &Atom<Real>,
            _index: Real::U32,
            f: &mut Sums<Real>,
        ) {
            let r2 = space.difference(i.pos, j.pos).norm2();
            let e = this
                .energy
                .at(r2)
                .plus_product(this.scale, this.density.at(i.density * r2.sqrt()));
            let __holds_1 = Real::eq_u32(j.kind, this.kind);
            {
                let __when_1 = __holds_1;
                f.energy = f.energy.plus_where(__when_1, e);
            }
            let part = r2.sqrt();
            f.force = f
                .force
                .minus_product(
                    (this.scale * i.density * this.density.slope(i.density * part)
                        / part)
                        .plus_product(Real::splat(2.0), this.energy.slope(r2)),
                    space.difference(i.pos, j.pos),
                );
            let r = r2.sqrt();
            let of_pair = this.of_pair.entry(i.kind, j.kind).at(r)
                * this.of_kind.element(j.kind).at(r);
            f.energy = f.energy
                + (of_pair + this.of_kind.element(Real::splat_u32(2u32)).slope(r));
            f.force = f
                .force
                .minus_product(
                    ((this.of_pair.entry(i.kind, j.kind).at(part)
                        * this.of_kind.element(j.kind).slope(part))
                        .plus_product(
                            this.of_kind.element(j.kind).at(part),
                            this.of_pair.entry(i.kind, j.kind).slope(part),
                        )) / part,
                    space.difference(i.pos, j.pos),
                );
            for k in 0u32..3u32 {
                f.bend = f.bend
                    + this
                        .of_pair
                        .entry(Real::splat_u32(0u32), Real::splat_u32(k))
                        .curvature(r);
            }
            f.bend = f.bend
                + (this.density.curvature(i.density + j.density)
                    - this.density.third_derivative(r2));
        }
        #[inline(never)]
        fn cpu_loops(
            __variant: ::nbody::__private::Variant,
        ) -> ::nbody::__private::Compiled {
            __variant
                .of::<
                    Self,
                    __units_of_Tabulated::scalars::Unit,
                    __units_of_Tabulated::singles::Unit,
                    __units_of_Tabulated::doubles::Unit,
                >()
        }
    }
    #[allow(non_snake_case)]
    mod __units_of_Tabulated {
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
    unsafe impl ::nbody::__private::Update for Embed {
        type P = Atom;
        type Q = ::nbody::__private::Nothing;
        type F = ::nbody::__private::Nothing;
        type G = ::nbody::__private::Nothing;
        const PROGRAM: &'static ::nbody::__private::ParticleProgram = &::nbody::__private::ParticleDeclaration {
            name: "embed",
            operations: ::nbody::__private::Operations {
                add: 17u32,
                mul: 12u32,
                div: 0u32,
                sqrt: 0u32,
                special: 0u32,
                compare: 0u32,
            },
            cuda: ::nbody::__private::ParticleText {
                law: "struct Atom {\n    Point<3> pos;\n    real density;\n    alignas(sizeof(real)) u32 kind;\n};\n\nstruct Embed {\n    Spline<16> embedding;\n    Splines<3, 1, 16> of_kind;\n    alignas(sizeof(real)) u32 due;\n};\n\n// Changes p.\n__device__ __forceinline__ void update(const Embed &self, const Space &, Atom &p)\n{\n    p.density = self.embedding.at(p.density) + self.embedding.slope(p.density);\n    p.density += self.of_kind.element(p.kind).at(p.density);\n}\n\n",
                names: "// The names by which kernels know the program.\nusing Parameters = law::Embed;\nusing ParticleP = law::Atom;\nusing ParticleQ = Nothing;\nusing ResultsF = Nothing;\nusing TotalG = Nothing;\nconstexpr int PDIM = 5;\nconstexpr int QDIM = 0;\nconstexpr int RDIM = 0;\nconstexpr int GDIM = 0;\nconstexpr int GATHERS = 0; // of second particles by an index\n// Whether the update assigns each number of the particle.\nconstexpr bool CHANGES[PDIM] = {false, false, false, true, false};\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Atom &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.real(3, record.density);\n    visit.index(4, record.kind);\n}\n\n// Runs the program for one particle.\ntemplate <typename Others>\n__device__ __forceinline__ void act(\n    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &, const ResultsF &,\n    const TotalG &, const Others &)\n{\n    law::update(self, space, p);\n}\n\n",
            },
            changes: &[false, true, false],
            gathers: 0usize,
        }
            .update::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        fn update<
            Real: ::nbody::__private::Lane<Coordinate = Real>,
            __Space: ::nbody::__private::Space<Real>,
            __Others: ::nbody::__private::Others<
                    ::nbody::__private::Nothing<Real>,
                    Real::U32,
                >,
        >(
            this: &Embed<Real>,
            _space: &__Space,
            p: &mut Atom<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _others: &__Others,
        ) {
            p.density = this.embedding.at(p.density) + this.embedding.slope(p.density);
            p.density = p.density + this.of_kind.element(p.kind).at(p.density);
        }
        #[inline(never)]
        fn cpu_loop() -> ::nbody::__private::ParticleLoop {
            ::nbody::__private::ParticleLoop::of_update::<Self>()
        }
    }
}
