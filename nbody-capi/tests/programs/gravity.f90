! Gravity from Fortran: x(3, n) and a section of it, in double precision.
program gravity
    use, intrinsic :: iso_c_binding
    use nbody
    implicit none
    integer, parameter :: n = 200
    real(c_double), target :: x(3, n), m(n), a(3, n), pot(n), expected(3, n), half(3, n / 2)
    real(c_double), target :: turned(n, 3)
    type(nbody_device) :: device
    type(nbody_law) :: law
    type(nbody_engine) :: engine
    type(nbody_buffer) :: bodies, few, field, marks
    type(nbody_options) :: options
    type(nbody_field), allocatable :: fields(:)
    type(nbody_integrator) :: run
    type(nbody_steps) :: steps
    real(c_double) :: d(3), r2, now, next
    integer(c_size_t) :: found, next_found
    integer(c_int32_t), target :: alive(2 * n)
    type(nbody_program) :: age
    type(nbody_runner) :: runner
    integer :: i, j

    do i = 1, n
        x(:, i) = [sin(1.0d0 * i), sin(2.0d0 * i + 1), sin(3.0d0 * i + 2)]
        m(i) = 1.0d0 + mod(i, 3)
    end do
    expected = 0
    do i = 1, n
        do j = 1, n
            if (i == j) cycle
            d = x(:, j) - x(:, i)
            r2 = sum(d**2) + 0.01d0
            expected(:, i) = expected(:, i) + m(j) * d / (r2 * sqrt(r2))
        end do
    end do

    call check(nbody_device_open("cpu", device))
    call check(nbody_law_ready("gravity", law))
    call check(nbody_law_fields(law, nbody_f, fields))
    if (size(fields) /= 2 .or. fields(1)%name /= "acc") error stop "fields"
    options%precision = nbody_double
    call check(nbody_engine_all_pairs(device, law, [0.01d0], engine, options))
    call check(nbody_engine_upload(engine, nbody_i, n, &
        [nbody_column_of("pos", x), nbody_column_of("mass", m)], bodies))
    call check(nbody_engine_results(engine, n, field))
    call check(nbody_engine_evaluate(engine, bodies, bodies, nbody_same, field, nbody_replace))
    call check(nbody_buffer_read(field, 0, n, &
        [nbody_column_of("acc", a), nbody_column_of("pot", pot)]))
    if (maxval(abs(a - expected)) > 1.0d-9 * maxval(abs(expected))) error stop "accelerations"

    call check(nbody_engine_upload(engine, nbody_i, n / 2, &
        [nbody_column_of("pos", x(:, 1:n:2)), nbody_column_of("mass", m(1:n:2))], few))
    call check(nbody_buffer_read(few, 0, n / 2, [nbody_column_of("pos", half)]))
    if (maxval(abs(half - x(:, 1:n:2))) > 0) error stop "a section"
    call check(nbody_buffer_free(few))

    ! Arrays that are too short, as x(n, 3) is without components_last.
    turned = transpose(x)
    if (nbody_engine_upload(engine, nbody_i, n, [nbody_column_of("pos", turned), &
        nbody_column_of("mass", m)], few) /= nbody_error_argument) error stop "turned"
    if (index(nbody_message(), "pos (array of 3 records, expected 200)") == 0) error stop "no reason"
    if (nbody_engine_upload(engine, nbody_i, n, [nbody_column_of("pos", x), &
        nbody_column_of("mass", m(:n - 1))], few) /= nbody_error_argument) error stop "short"
    call check(nbody_engine_upload(engine, nbody_i, n, [nbody_column_of("pos", turned, &
        components_last=.true.), nbody_column_of("mass", m)], few))
    call check(nbody_buffer_write_at(few, [3, 1], [nbody_column_of("mass", m(7:8))]))
    if (nbody_buffer_write_at(few, [3, 1], [nbody_column_of("mass", m(7:7))]) /= &
        nbody_error_argument) error stop "short for addresses"

    ! Others follow, and some are removed, by a field of others and by one of their own.
    call check(nbody_buffer_append(few, bodies))
    call check(nbody_buffer_count(few, found))
    if (found /= 2 * n) error stop "appended"
    call check(nbody_program_declare("struct Age; struct Star { alive: u32 } impl Update for Age "// &
        "{ type P = Star; fn update(&self, p: &mut Star) { p.alive += 1; } }", age))
    call check(nbody_runner_create(device, age, [real(c_double) ::], runner))
    alive = [(mod(i, 3), i=1, 2 * n)]
    call check(nbody_runner_upload(runner, nbody_p, nbody_double, 2 * n, &
        [nbody_column_of("alive", alive)], marks))
    call check(nbody_buffer_retain(few, "alive", found, by=marks))
    if (found /= count(alive /= 0)) error stop "kept by others"
    call check(nbody_buffer_retain(marks, "alive", found))
    call check(nbody_buffer_count(few, next_found))
    if (found /= count(alive /= 0) .or. found /= next_found) error stop "kept"
    call check(nbody_buffer_read(few, int(found) - 2, 2, [nbody_column_of("pos", half(:, 1:2))]))
    ! Of the last three, n - 1 and n stay, or n - 2 and n, or n - 2 and n - 1.
    turned(1:2, :) = transpose(x(:, pack([(i, i=n - 2, n)], mod([(i, i=2 * n - 2, 2 * n)], 3) /= 0)))
    if (maxval(abs(half(:, 1:2) - transpose(turned(1:2, :)))) > 0) error stop "the last ones"
    if (nbody_buffer_retain(few, "alive", found) /= nbody_error_argument) error stop "no field"
    call check(nbody_buffer_free(few))

    if (nbody_law_ready("gravitation", law) /= nbody_error_argument) error stop "no error"
    if (index(nbody_message(), "gravitation") == 0) error stop "no message"
    call check(nbody_buffer_free(bodies))
    if (nbody_buffer_free(bodies) /= nbody_error_argument) error stop "freed twice"
    call check(nbody_buffer_free(field))

    ! A run that is saved and resumed has the bits of an unbroken one.
    steps%method = nbody_leapfrog
    steps%step = 0.01d0
    call check(nbody_integrator_create(engine, n, [nbody_column_of("pos", x), &
        nbody_column_of("vel", a), nbody_column_of("mass", m)], steps, run))
    call check(nbody_integrator_advance(run))
    call check(nbody_integrator_save(run, "gravity.run"))
    call check(nbody_integrator_advance(run))
    call check(nbody_integrator_time(run, now, next))
    call check(nbody_integrator_read(run, now, n, [nbody_column_of("pos", expected)]))
    call check(nbody_integrator_free(run))
    call check(nbody_integrator_resume(engine, "gravity.run", run, found))
    if (found /= n) error stop "the number of particles"
    call check(nbody_integrator_advance(run))
    call check(nbody_integrator_read(run, now, n, [nbody_column_of("pos", x)]))
    if (maxval(abs(x - expected)) > 0) error stop "other bits after a resume"
    call check(nbody_integrator_free(run))
    if (nbody_integrator_resume(engine, "nowhere.run", run, found) /= nbody_error_argument) &
        error stop "no file"
    if (index(nbody_message(), "cannot read nowhere.run") == 0) error stop "no message of the file"
    call check(nbody_engine_free(engine))
    call check(nbody_device_free(device))
    print '(a)', "ok"

contains

    subroutine check(status)
        integer(c_int32_t), intent(in) :: status
        if (status /= nbody_ok) then
            print '(a)', nbody_message()
            error stop "a call failed"
        end if
    end subroutine
end program
