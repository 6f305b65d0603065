! All pairs over the ranks of MPI: each rank has the bits of one process.
program ranks
    use, intrinsic :: iso_c_binding
    use mpi
    use nbody
    implicit none
    integer, parameter :: n = 2000
    real(c_double), target :: x(3, n), mass(n), alone(3, n), shared(3, n)
    type(nbody_device) :: device
    integer :: k, rank, provided, error

    call mpi_init_thread(mpi_thread_serialized, provided, error)
    call mpi_comm_rank(mpi_comm_world, rank, error)
    do k = 1, n
        x(:, k) = [modulo(k * 7919, 1009) / 1009.0d0, modulo(k * 31, 997) / 997.0d0, k / 2000.0d0]
        mass(k) = 1.0d0 / n
    end do
    call check(nbody_device_open("cpu", device))
    call evaluate(alone)
    call check(nbody_device_free(device))
    call check(nbody_device_over_mpi("cpu", mpi_comm_world, device))
    call evaluate(shared)
    if (any(alone /= shared) .or. all(alone == 0)) error stop "other bits"
    call mpi_barrier(mpi_comm_world, error)
    if (rank == 0) print "(a)", "ok"
    call mpi_finalize(error)

contains

    subroutine check(status)
        integer(c_int32_t), intent(in) :: status
        if (status == nbody_ok) return
        print "(a)", nbody_message()
        call mpi_abort(mpi_comm_world, 1, error)
    end subroutine

    subroutine evaluate(acc)
        real(c_double), target, intent(out) :: acc(3, n)
        type(nbody_law) :: law
        type(nbody_engine) :: engine
        type(nbody_buffer) :: bodies, field
        type(nbody_options) :: options
        options%pairs = nbody_pairs_ordered
        call check(nbody_law_ready("gravity", law))
        call check(nbody_engine_all_pairs(device, law, [0.01d0], engine, options))
        call check(nbody_engine_upload(engine, nbody_i, n, &
            [nbody_column_of("pos", x), nbody_column_of("mass", mass)], bodies))
        call check(nbody_engine_results(engine, n, field))
        call check(nbody_engine_evaluate(engine, bodies, bodies, nbody_same, field, nbody_replace))
        call check(nbody_buffer_read(field, 0, n, [nbody_column_of("acc", acc)]))
        call check(nbody_engine_free(engine))
        call check(nbody_buffer_free(bodies))
        call check(nbody_buffer_free(field))
    end subroutine
end program
