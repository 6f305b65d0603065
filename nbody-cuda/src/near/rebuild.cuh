// The rebuild of neighbour lists: one launch that does nothing unless it is `wanted`.
namespace nbody {

extern "C" __global__ void __launch_bounds__(BLOCK, 2) rebuild(
    const u32 *wanted, u32 *arrived, const Order order, const u32 first_phase, const u32 end_phase)
{
    __shared__ OrderShared shared;
    if (!::__any_sync(~0u, *wanted != 0)) return;
    in_phases(first_phase, end_phase, arrived, [&](u32 phase) { order_phase(order, phase, shared); });
}

} // namespace nbody
