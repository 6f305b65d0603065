! Gravity from Fortran: the accelerations and potentials of a small star cluster.
!
!     gfortran $HOME/.local/share/nbody/nbody.f90 gravity.f90 $(pkg-config --libs nbody)
!     ./a.out cpu
program gravity
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    use nbody
    implicit none
    integer, parameter :: n = 1000
    real(c_double), parameter :: eps2 = 0.01d0 ! the squared softening length
    real(c_double), target :: x(3, n), mass(n) ! G = 1, and the cluster has mass 1
    real(c_double), target :: acc(3, n), pot(n)
    real(c_double) :: loop_acc(3, n), loop_pot(n), error
    type(nbody_device) :: device
    type(nbody_law) :: law
    type(nbody_engine) :: engine
    type(nbody_buffer) :: stars, field
    character(:), allocatable :: name
    character(32) :: device_name

    call get_command_argument(1, device_name)
    if (device_name == "") device_name = "best"
    call make_cluster()

    call check(nbody_device_open(device_name, device))
    call check(nbody_law_ready("gravity", law))
    call check(nbody_engine_all_pairs(device, law, [eps2], engine))
    call check(nbody_engine_upload(engine, nbody_i, n, &
        [nbody_column_of("pos", x), nbody_column_of("mass", mass)], stars))
    call check(nbody_engine_results(engine, n, field))
    call check(nbody_engine_evaluate(engine, stars, stars, nbody_same, field, nbody_replace))
    call check(nbody_buffer_read(field, 0, n, &
        [nbody_column_of("acc", acc), nbody_column_of("pot", pot)]))

    call double_loop()
    error = max(maxval(abs(acc - loop_acc)), maxval(abs(pot - loop_pot))) / maxval(abs(loop_acc))
    call check(nbody_device_text(device, name))
    print '(2a)', "device            ", name
    print '(a, 3f10.6, a, f10.6)', "star 1            acc", acc(:, 1), "  pot", pot(1)
    print '(a, f9.6)', "potential energy ", sum(mass * pot) / 2 ! each pair is in two potentials
    print '(a, es8.1)', "largest error    ", error

    call check(nbody_buffer_free(stars))
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

    ! Fills a Plummer sphere of scale length 1. The fractions of k a, k b and k c, with the three
    ! constants below, fill a cube evenly.
    subroutine make_cluster()
        real(c_double) :: u(3), r, c, angle
        integer :: k
        do k = 1, n
            u = mod(k * [0.8191725134d0, 0.6710436067d0, 0.5497004779d0], 1.0d0)
            r = 1 / sqrt(u(1)**(-2.0d0 / 3) - 1) ! u(1) is the mass within r
            c = 2 * u(2) - 1
            angle = 6.283185307179586d0 * u(3)
            x(:, k) = r * [sqrt(1 - c**2) * cos(angle), sqrt(1 - c**2) * sin(angle), c]
        end do
        mass = 1.0d0 / n
    end subroutine

    ! Sums over all pairs in the plain way.
    subroutine double_loop()
        real(c_double) :: d(3), r
        integer :: i, j
        loop_acc = 0
        loop_pot = 0
        do i = 1, n
            do j = 1, n
                if (i == j) cycle
                d = x(:, j) - x(:, i)
                r = sqrt(sum(d**2) + eps2)
                loop_acc(:, i) = loop_acc(:, i) + mass(j) * d / r**3
                loop_pot(i) = loop_pot(i) - mass(j) / r
            end do
        end do
    end subroutine
end program
