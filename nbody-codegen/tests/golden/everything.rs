/// Every construct of the language, whatever it means.
pub mod everything {
    /// Range.
    #[allow(clippy::approx_constant)]
    pub const RADIUS: f64 = 6.283185307179586f64;
    const FLAG: u32 = 3u32;
    const LEN: u32 = 4u32;
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Everything<Real: ::nbody::__private::Lane = f64> {
        pub table: [[Real; 2usize]; 3usize],
        pub strength: Real,
        pub axis: ::nbody::__private::Vector<Real>,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Everything<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                table: [[Real::default(); 2usize]; 3usize],
                strength: ::core::default::Default::default(),
                axis: ::nbody::__private::Vector::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Everything<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Everything<__M>;
        type Host = Everything<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "table",
                kind: ::nbody::__private::FieldKind::Array(6usize),
            },
            ::nbody::__private::Field {
                name: "strength",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "axis",
                kind: ::nbody::__private::FieldKind::Vector(3usize),
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                table: {
                    let mut __table = [[Real::default(); 2usize]; 3usize];
                    for __x in __table.as_flattened_mut() {
                        *__x = __from.real();
                    }
                    __table
                },
                strength: __from.real(),
                axis: ::nbody::__private::Vector::read(__from),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            for __x in self.table.as_flattened() {
                __to.real(*__x);
            }
            __to.real(self.strength);
            self.axis.write(__to);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Everything<f32> {}
    unsafe impl ::nbody::__private::Pod for Everything<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Everything<f64> {}
    unsafe impl ::nbody::__private::Pod for Everything<f64> {}
    /// A particle that feels the others.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Target<Real: ::nbody::__private::Lane = f64> {
        /// Position.
        pub pos: ::nbody::__private::Point<Real>,
        pub float: Real,
        pub kind: Real::U32,
        pub other: Real::U32,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Target<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pos: ::nbody::__private::Point::default(),
                float: ::core::default::Default::default(),
                kind: ::core::default::Default::default(),
                other: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Target<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Target<__M>;
        type Host = Target<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "pos",
                kind: ::nbody::__private::FieldKind::Point(3usize),
            },
            ::nbody::__private::Field {
                name: "float",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "kind",
                kind: ::nbody::__private::FieldKind::U32,
            },
            ::nbody::__private::Field {
                name: "other",
                kind: ::nbody::__private::FieldKind::U32,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                pos: ::nbody::__private::Point::read(__from),
                float: __from.real(),
                kind: __from.index(),
                other: __from.index(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pos.write(__to);
            __to.real(self.float);
            __to.index(self.kind);
            __to.index(self.other);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Target<f32> {}
    unsafe impl ::nbody::__private::Pod for Target<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Target<f64> {}
    unsafe impl ::nbody::__private::Pod for Target<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Source<Real: ::nbody::__private::Lane = f64> {
        pub pos: ::nbody::__private::Point<Real>,
        pub vel: ::nbody::__private::Vector<Real>,
        pub raw: [Real; 4usize],
        pub kind: Real::U32,
        pub other: Real::U32,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Source<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pos: ::nbody::__private::Point::default(),
                vel: ::nbody::__private::Vector::default(),
                raw: [Real::default(); 4usize],
                kind: ::core::default::Default::default(),
                other: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Source<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Source<__M>;
        type Host = Source<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "pos",
                kind: ::nbody::__private::FieldKind::Point(3usize),
            },
            ::nbody::__private::Field {
                name: "vel",
                kind: ::nbody::__private::FieldKind::Vector(3usize),
            },
            ::nbody::__private::Field {
                name: "raw",
                kind: ::nbody::__private::FieldKind::Array(4usize),
            },
            ::nbody::__private::Field {
                name: "kind",
                kind: ::nbody::__private::FieldKind::U32,
            },
            ::nbody::__private::Field {
                name: "other",
                kind: ::nbody::__private::FieldKind::U32,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                pos: ::nbody::__private::Point::read(__from),
                vel: ::nbody::__private::Vector::read(__from),
                raw: {
                    let mut __array = [Real::default(); 4usize];
                    for __x in &mut __array {
                        *__x = __from.real();
                    }
                    __array
                },
                kind: __from.index(),
                other: __from.index(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pos.write(__to);
            self.vel.write(__to);
            for __x in self.raw {
                __to.real(__x);
            }
            __to.index(self.kind);
            __to.index(self.other);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Source<f32> {}
    unsafe impl ::nbody::__private::Pod for Source<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Source<f64> {}
    unsafe impl ::nbody::__private::Pod for Source<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Sums<Real: ::nbody::__private::Lane = f64> {
        pub force: ::nbody::__private::Vector<Real>,
        pub rows: [Real; 2usize],
        pub count: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Sums<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                force: ::nbody::__private::Vector::default(),
                rows: [Real::default(); 2usize],
                count: ::core::default::Default::default(),
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
                name: "force",
                kind: ::nbody::__private::FieldKind::Vector(3usize),
            },
            ::nbody::__private::Field {
                name: "rows",
                kind: ::nbody::__private::FieldKind::Array(2usize),
            },
            ::nbody::__private::Field {
                name: "count",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                force: ::nbody::__private::Vector::read(__from),
                rows: {
                    let mut __array = [Real::default(); 2usize];
                    for __x in &mut __array {
                        *__x = __from.real();
                    }
                    __array
                },
                count: __from.real(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.force.write(__to);
            for __x in self.rows {
                __to.real(__x);
            }
            __to.real(self.count);
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
                force: ::nbody::__private::Vector::select(
                    __mask,
                    __yes.force,
                    __no.force,
                ),
                rows: ::nbody::__private::select_array::<
                    __L,
                    _,
                >(__mask, __yes.rows, __no.rows),
                count: __L::select(__mask, __yes.count, __no.count),
            }
        }
        #[inline(always)]
        fn compensate<
            __L: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<__L>,
        >(__term: &Sums<__L>, __total: &mut Sums<__L>, __lost: &mut Sums<__L>) {
            for (__k, __x) in __term.force.0.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.force.0[__k],
                    &mut __lost.force.0[__k],
                );
            }
            for (__k, __x) in __term.rows.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.rows[__k],
                    &mut __lost.rows[__k],
                );
            }
            ::nbody::__private::compensate(
                __term.count,
                &mut __total.count,
                &mut __lost.count,
            );
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Sums<f32> {}
    unsafe impl ::nbody::__private::Pod for Sums<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Sums<f64> {}
    unsafe impl ::nbody::__private::Pod for Sums<f64> {}
    #[inline(always)]
    #[allow(clippy::all, clippy::pedantic)]
    /// A kernel with compact support.
    fn w<Real: ::nbody::__private::Lane>(q: Real) -> Real {
        let mut __value = Real::default();
        let mut __on = Real::splat_mask(true);
        let t = Real::splat(1.0) - q;
        let __holds_1 = Real::lt(t, Real::splat(0.0));
        {
            let __when_1 = __holds_1;
            __value = Real::select((__when_1 & __on), Real::splat(0.0), __value);
            __on = __on & !__when_1;
        }
        if !Real::any(__on) {
            return __value;
        }
        Real::select(__on, t.powi(3i32), __value)
    }
    #[inline(always)]
    #[allow(clippy::all, clippy::pedantic)]
    fn steps<Real: ::nbody::__private::Lane>(x: Real, near: Real::Mask) -> Real {
        let mut y = x;
        let __holds_1 = near & Real::lt(x, Real::splat(1.0));
        {
            let __when_1 = __holds_1;
            y = Real::select(__when_1, y + w::<Real>(x), y);
            let __holds_2 = Real::lt(Real::splat(0.5), y) | (!near);
            {
                let __when_2 = __when_1 & __holds_2;
                y = Real::select(__when_2, -y, y);
            }
        }
        {
            let __unless_1 = !__holds_1;
            let __holds_3 = Real::eq(x, Real::splat(2.0));
            {
                let __when_3 = __unless_1 & __holds_3;
                y = Real::select(__when_3, y * Real::splat(2.0), y);
            }
            {
                let __unless_3 = __unless_1 & !__holds_3;
                y = Real::select(__unless_3, y - (x - Real::splat(1.0)), y);
            }
        }
        y
    }
    #[inline(always)]
    #[allow(clippy::all, clippy::pedantic)]
    /// The distance along an axis.
    fn along<Real: ::nbody::__private::Lane, __Space: ::nbody::__private::Space<Real>>(
        space: &__Space,
        axis: ::nbody::__private::Vector<Real>,
        a: ::nbody::__private::Point<Real>,
        b: ::nbody::__private::Point<Real>,
    ) -> Real {
        axis.dot(space.difference(a, b))
    }
    unsafe impl ::nbody::__private::Interaction for Everything {
        type I = Target;
        type J = Source;
        type F = Sums;
        const LAW: &'static ::nbody::__private::Law = &::nbody::__private::Declaration {
            name: "everything",
            self_pairs: true,
            cutoff: true,
            cutoff_reads: [&[4usize], &[]],
            reach: {
                #[allow(unused_imports)]
                use ::nbody::__private::{Function::*, Role::*, Step::*};
                &[
                    Index(I, 4),
                    Integer(3u32),
                    Apply(EqualIntegers, [0, 1, 0]),
                    Apply(Opposite, [2, 0, 0]),
                    Real(2f64),
                    Number(Parameters, 6),
                    Apply(Product, [4, 5, 0]),
                    Apply(Select, [3, 5, 6]),
                ]
            },
            charges: ::core::result::Result::Err(
                "it has a cutoff, within which neighbour lists find every pair",
            ),
            operations: ::nbody::__private::Operations {
                add: 44u32,
                mul: 41u32,
                div: 7u32,
                sqrt: 1u32,
                special: 1u32,
                compare: 12u32,
            },
            most_counted: ::core::option::Option::Some(0u32),
            cuda: ::nbody::__private::CudaText {
                law: "struct Everything {\n    Table<3, 2> table;\n    real strength;\n    Vector<3> axis;\n};\n\n// A particle that feels the others.\nstruct alignas(packing(3 * COORDINATE + 3)) Target {\n    Point<3> pos; // Position.\n    real float_;\n    alignas(sizeof(real)) u32 kind;\n    alignas(sizeof(real)) u32 other;\n};\n\nstruct alignas(packing(3 * COORDINATE + 9)) Source {\n    Point<3> pos;\n    Vector<3> vel;\n    Array<4> raw;\n    alignas(sizeof(real)) u32 kind;\n    alignas(sizeof(real)) u32 other;\n};\n\nstruct Sums {\n    Vector<3> force;\n    Array<2> rows;\n    real count;\n};\n\n// Range.\nconstexpr real RADIUS = real(6.283185307179586);\nconstexpr u32 FLAG = 3u;\n\n// A kernel with compact support.\n__device__ __forceinline__ real w(real q)\n{\n    const real t = real(1.0) - q;\n    // Beyond its support.\n    if (t < real(0.0)) {\n        return real(0.0);\n    }\n    return powi<3>(t);\n}\n\n__device__ __forceinline__ real steps(real x, bool near)\n{\n    real y = x;\n    if (near && x < real(1.0)) {\n        y += w(x);\n        // Deeper.\n        if (y > real(0.5) || !near) {\n            y = -y;\n        }\n    } else if (x == real(2.0)) {\n        y *= real(2.0);\n    } else {\n        y = y - (x - real(1.0));\n    }\n    return y;\n}\n\n// The distance along an axis.\n__device__ __forceinline__ real along(const Space &space, Vector<3> axis, Point<3> a, Point<3> b)\n{\n    return dot(axis, space.difference(a, b));\n}\n\n// Farther for some.\n__device__ __forceinline__ real cutoff(\n    const Everything &self, const Space &, const Target &target, const Source &source)\n{\n    if (target.kind == FLAG) {\n        return real(2.0) * self.strength;\n    }\n    return self.strength;\n}\n\n// Adds what there is.\n__device__ __forceinline__ void pair(\n    const Everything &self, const Space &space, const Target &here, const Source &there, Sums &sums)\n{\n    const Vector<3> d = space.difference(there.pos, here.pos);\n    const real h = along(space, self.axis, here.pos, there.pos);\n    const real r = norm(d);\n    const Vector<3> d_2 = -d / (r + real(1.0));\n    if (r > real(100.0) * self.strength) {\n        return; // Too far.\n    }\n    const bool near = r < RADIUS;\n    real new_;\n    if (near) {\n        const real s = steps(r, near) * self.strength;\n        new_ = min(max(s, real(0.1)), here.float_) + there.raw[1] * there.raw[3];\n    } else {\n        new_ = abs(recip(r) - real(1.0));\n    }\n    const bool same = here.kind == there.kind && (here.other & FLAG) != 0u;\n    const Vector<3> spin = cross(d_2, there.vel) + self.axis\n        * divide(dot(self.axis, there.vel), norm2_plus(self.axis, real(1.0)));\n    Vector<3> turned = spin;\n    turned.x += new_;\n    if (same) {\n        sums.force += new_ * turned;\n        sums.rows[0] += real(there.kind) - real(1.0);\n    }\n    sums.force.z -= tanh(real(0.5) * new_);\n    sums.rows[1] += divide((near ? real(1.0) : real(0.0))\n        * (new_ - (r - new_)), divide(real(2.0), real(3.0) + r * r));\n    // Each component by itself.\n#pragma unroll\n    for (u32 k = 0; k < 2; ++k) {\n        sums.rows[k] += there.raw[k + 1u] * entry(there.raw, there.kind) * d_2[k];\n        if (k == 1u) {\n            sums.force[k] -= entry(self.table, here.kind, there.other) * real(k);\n        }\n    }\n    sums.count += near ? h : same ? real(0.5) : real(0.0);\n}\n\n",
                sums: "// The names by which kernels know the law.\nusing Parameters = law::Everything;\nusing ParticleI = law::Target;\nusing ParticleJ = law::Source;\nusing Accumulators = law::Sums;\nconstexpr int IDIM = 3 * COORDINATE + 3;\nconstexpr int JDIM = 3 * COORDINATE + 9;\nconstexpr int FDIM = 6;\nconstexpr bool SELF_PAIRS = true;\nconstexpr bool LOOKS_UP = true;\nconstexpr bool KEEPS_INDEX = false;\nconstexpr bool CUTOFF = true;\nconstexpr bool CUTOFF_READS_J = false;\n\n// Negative at the cutoff and beyond it.\n__device__ __forceinline__ real within(\n    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j)\n{\n    const real reach = law::cutoff(self, space, i, j);\n    return within_reach(reach, space.difference(j.pos, i.pos));\n}\n\n// Whether a pair is at the cutoff or beyond it.\n__device__ __forceinline__ bool beyond(\n    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j)\n{\n    const real reach = law::cutoff(self, space, i, j);\n    return beyond_reach(reach, space.difference(j.pos, i.pos));\n}\n\n// The cutoff of an i-particle.\n__device__ __forceinline__ real cutoff_of(\n    const Parameters &self, const Space &space, const ParticleI &i)\n{\n    return law::cutoff(self, space, i, ParticleJ{});\n}\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] += f.force.x;\n    total[1] += f.force.y;\n    total[2] += f.force.z;\n    total[3] += f.rows[0];\n    total[4] += f.rows[1];\n    total[5] += f.count;\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    for (int k = 0; k < FDIM; ++k) total[k] += part[k];\n}\n\n",
                compensated: "// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.\n__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)\n{\n    compensate(term.force, f.force, lost.force);\n    compensate(term.rows, f.rows, lost.rows);\n    compensate(term.count, f.count, lost.count);\n}\n\n",
            },
            third_law: ::core::option::Option::None,
        }
            .law::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        fn cutoff<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Everything<Real>,
            space: &__Space,
            target: &Target<Real>,
            source: &Source<Real>,
        ) -> Real {
            let mut __value = Real::default();
            let mut __on = Real::splat_mask(true);
            let __holds_1 = Real::eq_u32(target.kind, Real::splat_u32(FLAG));
            {
                let __when_1 = __holds_1;
                __value = Real::select(
                    (__when_1 & __on),
                    Real::splat(2.0) * this.strength,
                    __value,
                );
                __on = __on & !__when_1;
            }
            if !Real::any(__on) {
                return __value;
            }
            Real::select(__on, this.strength, __value)
        }
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        fn within<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Everything<Real>,
            space: &__Space,
            target: &Target<Real>,
            source: &Source<Real>,
        ) -> Real::Mask {
            let __reach = <Self as ::nbody::__private::Interaction>::cutoff(
                this,
                space,
                target,
                source,
            );
            let __distance = space.difference(target.pos, source.pos);
            Real::within_reach(__reach, __distance.norm2())
        }
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic)]
        fn pair<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Everything<Real>,
            space: &__Space,
            here: &Target<Real>,
            there: &Source<Real>,
            _index: Real::U32,
            sums: &mut Sums<Real>,
        ) {
            let mut __on = <Self as ::nbody::__private::Interaction>::within(
                this,
                space,
                here,
                there,
            );
            if Real::ENDS_EARLY && !Real::any(__on) {
                return;
            }
            let d = space.difference(there.pos, here.pos);
            let h = along::<Real, _>(space, this.axis, here.pos, there.pos);
            let r = d.norm();
            let d_2 = (-d) / (r + Real::splat(1.0));
            let __holds_1 = Real::lt((Real::splat(100.0) * this.strength), r);
            {
                let __when_1 = __holds_1;
                __on = __on & !__when_1;
            }
            if !Real::any(__on) {
                return;
            }
            let near = Real::lt(r, Real::splat(RADIUS));
            let mut new_ = Real::default();
            let __holds_2 = near;
            {
                let __when_2 = __holds_2;
                let s = steps::<Real>(r, near) * this.strength;
                new_ = Real::select(
                    __when_2,
                    s
                        .max(Real::splat(0.1))
                        .min(here.float)
                        .plus_product(there.raw[1usize], there.raw[3usize]),
                    new_,
                );
            }
            {
                let __unless_2 = !__holds_2;
                new_ = Real::select(
                    __unless_2,
                    (r.recip() - Real::splat(1.0)).abs(),
                    new_,
                );
            }
            let same = Real::eq_u32(here.kind, there.kind)
                & (!Real::eq_u32(
                    (here.other & Real::splat_u32(FLAG)),
                    Real::splat_u32(0u32),
                ));
            let spin = d_2
                .cross(there.vel)
                .plus_product(
                    this.axis.dot(there.vel) / (this.axis.norm2_plus(Real::splat(1.0))),
                    this.axis,
                );
            let mut turned = spin;
            turned[0usize] = turned[0usize] + new_;
            let __holds_3 = same;
            {
                let __when_3 = __holds_3;
                sums.force = ::nbody::__private::Vector::select(
                    (__when_3 & __on),
                    sums.force.plus_product(new_, turned),
                    sums.force,
                );
                sums.rows[0usize] = sums
                    .rows[0usize]
                    .plus_where(
                        (__when_3 & __on),
                        Real::from_u32(there.kind) - Real::splat(1.0),
                    );
            }
            sums.force[2usize] = sums
                .force[2usize]
                .minus_where(__on, (Real::splat(0.5) * new_).tanh());
            sums.rows[1usize] = sums
                .rows[1usize]
                .plus_where(
                    __on,
                    Real::select(near, Real::splat(1.0), Real::splat(0.0))
                        * (new_ - (r - new_))
                        / (Real::splat(2.0) / (Real::splat(3.0).plus_product(r, r))),
                );
            for k in 0u32..2u32 {
                sums.rows[(k) as usize] = Real::select(
                    __on,
                    sums
                        .rows[(k) as usize]
                        .plus_product(
                            there.raw[((k + 1u32)) as usize]
                                * Real::gather(&there.raw, there.kind),
                            d_2[(k) as usize],
                        ),
                    sums.rows[(k) as usize],
                );
                let __holds_4 = Real::eq_u32(Real::splat_u32(k), Real::splat_u32(1u32));
                {
                    let __when_4 = __holds_4;
                    sums.force[(k) as usize] = Real::select(
                        (__when_4 & __on),
                        sums
                            .force[(k) as usize]
                            .minus_product(
                                Real::gather_entry(&this.table, here.kind, there.other),
                                Real::from_u32(Real::splat_u32(k)),
                            ),
                        sums.force[(k) as usize],
                    );
                }
            }
            sums.count = sums
                .count
                .plus_where(
                    __on,
                    Real::select(
                        near,
                        h,
                        Real::select(same, Real::splat(0.5), Real::splat(0.0)),
                    ),
                );
        }
        #[inline(never)]
        fn cpu_loops(
            __variant: ::nbody::__private::Variant,
        ) -> ::nbody::__private::Compiled {
            __variant
                .of::<
                    Self,
                    __units_of_Everything::scalars::Unit,
                    __units_of_Everything::singles::Unit,
                    __units_of_Everything::doubles::Unit,
                >()
        }
    }
    #[allow(non_snake_case)]
    mod __units_of_Everything {
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
