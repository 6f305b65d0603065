// Newtonian gravity with Plummer softening; G = 1.
struct Gravity {
    real eps2; // Squared softening length.
};

struct Body {
    Point<3> pos;
    real mass;
};

struct Field {
    Vector<3> acc;
    real pot;
};

// What j adds to i.
__device__ __forceinline__ void pair(const Gravity &self, const Body &i, const Body &j, Field &f)
{
    const Vector<3> d = j.pos - i.pos;
    const real rinv = rsqrt(norm2(d) + self.eps2);
    const real mr = j.mass * rinv;
    f.acc += mr * rinv * rinv * d;
    f.pot -= mr;
}

// Adds the accumulators of one bag to the backup accumulators.
template <typename T>
__device__ __forceinline__ void fold(const Field &f, T (&total)[4])
{
    total[0] += f.acc.x;
    total[1] += f.acc.y;
    total[2] += f.acc.z;
    total[3] += f.pot;
}

// What the scheme needs to know of the interaction.
using Parameters = Gravity;
using ParticleI = Body;
using ParticleJ = Body;
using Accumulators = Field;
constexpr int IDIM = 4;
constexpr int JDIM = 4;
constexpr int FDIM = 4;
constexpr bool SELF_PAIRS = false;
