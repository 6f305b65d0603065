! A leapfrog in Fortran: a star cluster by kicks and drifts, with forces from nbody.
!
!     gfortran $HOME/.local/share/nbody/nbody.f90 leapfrog.f90 $(pkg-config --libs nbody)
!     ./a.out cpu
program leapfrog
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    use nbody
    implicit none
    integer, parameter :: n = 400
    real(c_double), parameter :: eps2 = 0.01d0 ! the squared softening length
    real(c_double), target :: x(3, n), mass(n) ! G = 1, and the cluster has mass 1
    real(c_double), target :: acc(3, n), pot(n)
    real(c_double) :: v(3, n), coarse, fine
    type(nbody_device) :: device
    type(nbody_law) :: law
    type(nbody_engine) :: engine
    type(nbody_buffer) :: stars, field
    type(nbody_options) :: options
    character(32) :: device_name

    call get_command_argument(1, device_name)
    if (device_name == "") device_name = "best"
    call make_cluster()
    call check(nbody_device_open(device_name, device))
    call check(nbody_law_ready("gravity", law))
    options%precision = nbody_double ! the error of the energy is then an error of the leapfrog alone
    call check(nbody_engine_all_pairs(device, law, [eps2], engine, options))
    call check(nbody_engine_upload(engine, nbody_i, n, &
        [nbody_column_of("pos", x), nbody_column_of("mass", mass)], stars))
    call check(nbody_engine_results(engine, n, field))

    coarse = error_of_energy(32)
    fine = error_of_energy(64)
    print '(a, f6.2)', "ratio of the errors ", coarse / fine
    call check(nbody_buffer_free(stars))
    call check(nbody_buffer_free(field))
    call check(nbody_engine_free(engine))
    call check(nbody_device_free(device))
    ! Half the step makes a quarter of the error.
    if (abs(fine) > 1.0d-4 .or. abs(coarse / fine - 4) > 0.5d0) stop 1

contains

    ! Integrates from time 0 to 1, and returns the relative change of the energy.
    function error_of_energy(steps) result(error)
        integer, intent(in) :: steps
        real(c_double) :: error, before, dt
        integer :: step
        call make_cluster()
        dt = 1.0d0 / steps
        call compute_forces()
        before = energy()
        do step = 1, steps
            v = v + dt / 2 * acc
            x = x + dt * v
            call compute_forces()
            v = v + dt / 2 * acc
        end do
        error = (energy() - before) / abs(before)
        print '(i4, a, f10.6, a, es9.1)', steps, " steps: energy", before, ", changed by", error
    end function

    ! Computes accelerations and potentials at the positions.
    subroutine compute_forces()
        call check(nbody_buffer_write(stars, n, [nbody_column_of("pos", x)]))
        call check(nbody_engine_evaluate(engine, stars, stars, nbody_same, field, nbody_replace))
        call check(nbody_buffer_read(field, 0, n, &
            [nbody_column_of("acc", acc), nbody_column_of("pot", pot)]))
    end subroutine

    function energy()
        real(c_double) :: energy
        energy = sum(mass * (sum(v**2, dim=1) + pot)) / 2 ! each pair is in two potentials
    end function

    ! Fills a Plummer sphere of scale length 1 that rotates about z. The fractions of k a, k b and k c,
    ! with the three constants below, fill a cube evenly.
    subroutine make_cluster()
        real(c_double) :: u(3), r, c, s, angle
        integer :: k
        do k = 1, n
            u = mod(k * [0.8191725134d0, 0.6710436067d0, 0.5497004779d0], 1.0d0)
            r = 1 / sqrt(u(1)**(-2.0d0 / 3) - 1) ! u(1) is the mass within r
            c = 2 * u(2) - 1
            s = sqrt(1 - c**2)
            angle = 6.283185307179586d0 * u(3)
            x(:, k) = r * [s * cos(angle), s * sin(angle), c]
            v(:, k) = (1 + r**2)**(-0.75d0) * [-x(2, k), x(1, k), 0.0d0]
        end do
        mass = 1.0d0 / n
    end subroutine

    ! Ends the program with the message of nbody if a call failed.
    subroutine check(status)
        integer(c_int32_t), intent(in) :: status
        if (status == nbody_ok) return
        write (error_unit, '(2a)') "nbody: ", nbody_message()
        stop 1
    end subroutine
end program
