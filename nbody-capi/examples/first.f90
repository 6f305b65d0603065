! The first program in Fortran: the gravity of two bodies.
!
!     gfortran $HOME/.local/share/nbody/nbody.f90 first.f90 $(pkg-config --libs nbody)
!     ./a.out cpu
program first
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    use nbody
    implicit none
    real(c_double), target :: x(3, 2), mass(2), acc(3, 2) ! G = 1
    real(c_double) :: error
    type(nbody_device) :: device
    type(nbody_law) :: law
    type(nbody_engine) :: engine
    type(nbody_buffer) :: bodies, field
    character(32) :: device_name

    call get_command_argument(1, device_name)
    if (device_name == "") device_name = "best"
    x = 0
    x(1, 2) = 2
    mass = [1, 3]
    call check(nbody_device_open(device_name, device))
    call check(nbody_law_ready("gravity", law))
    call check(nbody_engine_all_pairs(device, law, [0.0d0], engine)) ! no softening
    call check(nbody_engine_upload(engine, nbody_i, 2, &
        [nbody_column_of("pos", x), nbody_column_of("mass", mass)], bodies))
    call check(nbody_engine_results(engine, 2, field))
    call check(nbody_engine_evaluate(engine, bodies, bodies, nbody_same, field, nbody_replace))
    call check(nbody_buffer_read(field, 0, 2, [nbody_column_of("acc", acc)]))

    error = abs(acc(1, 1) - 0.75d0) + abs(acc(1, 2) + 0.25d0) ! 3 / 2**2 and -1 / 2**2
    print '(a, 2f10.6, a, es8.1)', "accelerations", acc(1, :), ", error", error
    call check(nbody_buffer_free(bodies))
    call check(nbody_buffer_free(field))
    call check(nbody_engine_free(engine))
    call check(nbody_device_free(device))
    if (error > 1.0d-6) stop 1

contains

    ! Ends the program with the message of nbody if a call failed.
    subroutine check(status)
        integer(c_int32_t), intent(in) :: status
        if (status == nbody_ok) return
        write (error_unit, '(2a)') "nbody: ", nbody_message()
        stop 1
    end subroutine
end program
