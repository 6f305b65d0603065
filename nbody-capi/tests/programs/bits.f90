! Gravity in exact mathematics and a given summation order, from numbers of a file to another file.
program bits
    use, intrinsic :: iso_c_binding
    use nbody
    implicit none
    integer, parameter :: n = 500
    integer(c_int32_t), parameter :: precisions(3) = [nbody_single, nbody_mixed, nbody_double]
    real(c_double), target :: x(3, n), mass(n), results(4, n)
    type(nbody_device) :: device
    type(nbody_law) :: law
    type(nbody_engine) :: engine
    type(nbody_buffer) :: bodies, field
    type(nbody_options) :: options
    character(512) :: from, to
    integer :: k

    call get_command_argument(1, from)
    call get_command_argument(2, to)
    open (10, file=from, access="stream", form="unformatted", status="old", action="read")
    read (10) x, mass
    close (10)
    open (10, file=to, access="stream", form="unformatted", status="replace", action="write")
    options%math = nbody_exact
    options%bag = 64
    options%splits = 3
    call check(nbody_device_open("best", device))
    call check(nbody_law_ready("gravity", law))
    do k = 1, 3
        options%precision = precisions(k)
        call check(nbody_engine_all_pairs(device, law, [0.01d0], engine, options))
        call check(nbody_engine_upload(engine, nbody_i, n, &
            [nbody_column_of("pos", x), nbody_column_of("mass", mass)], bodies))
        call check(nbody_engine_results(engine, n, field))
        call check(nbody_engine_evaluate(engine, bodies, bodies, nbody_same, field, nbody_replace))
        call check(nbody_buffer_read(field, 0, n, &
            [nbody_column_of("acc", results(1:3, :)), nbody_column_of("pot", results(4, :))]))
        write (10) results
    end do
    close (10)

contains

    subroutine check(status)
        integer(c_int32_t), intent(in) :: status
        if (status /= nbody_ok) then
            print '(a)', nbody_message()
            error stop "a call failed"
        end if
    end subroutine
end program
