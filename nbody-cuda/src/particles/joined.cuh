// Several records of one kind, each in a buffer of its own.
namespace nbody {

template <typename Particle, typename First, typename Rest>
__device__ __forceinline__ Particle load(const Joined<First, Rest> &rows, u32 k)
{
    return {load<decltype(Particle::first)>(rows.first, k), load<decltype(Particle::rest)>(rows.rest, k)};
}

template <typename Results, typename First, typename Rest>
__device__ __forceinline__ Results results_of(const Joined<First, Rest> &results, u32 k, u32 n)
{
    return {results_of<decltype(Results::first)>(results.first, k, n),
            results_of<decltype(Results::rest)>(results.rest, k, n)};
}

// Calls a function of `visit` with each number, and its place in its own record.
template <typename First, typename Rest, typename Visit>
__device__ __forceinline__ void each_number(Joined<First, Rest> &records, Visit &visit)
{
    each_number(records.first, visit);
    each_number(records.rest, visit);
}

} // namespace nbody
