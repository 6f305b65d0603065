! A potential of your own from Fortran: gravity with a fifth force, declared in the file fifth_force.rs.
!
!     gfortran $HOME/.local/share/nbody/nbody.f90 potential.f90 $(pkg-config --libs nbody)
!     ./a.out cpu
program potential
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    use nbody
    implicit none
    integer, parameter :: n = 300
    real(c_double), parameter :: alpha = 0.5d0, lambda = 0.3d0, eps2 = 0.01d0, h = 1.0d-4
    real(c_double), target :: x(n, 3), mass(n), acc(n, 3), pot(n)
    real(c_double) :: error, step(3)
    type(nbody_device) :: device
    type(nbody_law) :: law
    type(nbody_field), allocatable :: parameters(:)
    type(nbody_engine) :: engine
    type(nbody_buffer) :: bodies, field
    character(32) :: device_name
    integer :: i, k

    call get_command_argument(1, device_name)
    if (device_name == "") device_name = "best"
    do i = 1, n ! evenly in a cube
        x(i, :) = mod(i * [0.8191725134d0, 0.6710436067d0, 0.5497004779d0], 1.0d0)
    end do
    mass = 1.0d0 / n

    call check(nbody_law_read("fifth_force.rs", law))
    call check(nbody_law_fields(law, nbody_parameters, parameters))
    do k = 1, size(parameters)
        print '(2a)', "parameter      ", parameters(k)%name
    end do
    call check(nbody_device_open(device_name, device))
    call check(nbody_engine_all_pairs(device, law, [alpha, lambda, eps2], engine))
    call check(nbody_engine_upload(engine, nbody_i, n, &
        [nbody_column_of("pos", x, components_last=.true.), nbody_column_of("mass", mass)], bodies))
    call check(nbody_engine_results(engine, n, field))
    call check(nbody_engine_evaluate(engine, bodies, bodies, nbody_same, field, nbody_replace))
    call check(nbody_buffer_read(field, 0, n, &
        [nbody_column_of("acc", acc, components_last=.true.), nbody_column_of("pot", pot)]))

    error = 0
    do i = 1, n
        error = max(error, abs(pot(i) - potential_at(i, x(i, :))))
        do k = 1, 3 ! the acceleration is the slope of the potential
            step = 0
            step(k) = h
            error = max(error, abs(acc(i, k) - (potential_at(i, x(i, :) - step) &
                - potential_at(i, x(i, :) + step)) / (2 * h)))
        end do
    end do
    print '(a, 3f10.6, a, f10.6)', "body 1         acc", acc(1, :), "  pot", pot(1)
    print '(a, es8.1)', "largest error ", error
    call check(nbody_buffer_free(bodies))
    call check(nbody_buffer_free(field))
    call check(nbody_engine_free(engine))
    call check(nbody_device_free(device))
    if (error > 1.0d-5) stop 1

contains

    ! Ends the program with the message of nbody if a call failed.
    subroutine check(status)
        integer(c_int32_t), intent(in) :: status
        if (status == nbody_ok) return
        write (error_unit, '(2a)') "nbody: ", nbody_message()
        stop 1
    end subroutine

    ! Sums the potential of all bodies but one in the plain way, at a place.
    function potential_at(without, place) result(total)
        integer, intent(in) :: without
        real(c_double), intent(in) :: place(3)
        real(c_double) :: total, r
        integer :: j
        total = 0
        do j = 1, n
            if (j == without) cycle
            r = sqrt(sum((x(j, :) - place)**2) + eps2)
            total = total - mass(j) / r * (1 + alpha * exp(-r / lambda))
        end do
    end function
end program
