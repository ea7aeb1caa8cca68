// See registers_aarch64.h. x16 and x17, which any call may change, find the way to the images.

#if defined(__aarch64__)
        .arch   armv8.2-a+sve

#define BELOW_16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define BELOW_32 BELOW_16, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

// Offsets in a RegisterImage.
#define VECTORS 256
#define PREDICATES (VECTORS + 32 * 256)
#define IMAGE_SIZE (PREDICATES + 17 * 32 + 32)

        .bss
        .balign 64
        .globl  firstcall_test_given
firstcall_test_given:
        .zero   IMAGE_SIZE
        .globl  firstcall_test_found
firstcall_test_found:
        .zero   IMAGE_SIZE
        .globl  firstcall_test_callee
firstcall_test_callee:
        .zero   8
        .globl  firstcall_test_level
firstcall_test_level:
        .zero   8

        .macro  address register, symbol
        adrp    \register, \symbol
        add     \register, \register, :lo12:\symbol
        .endm

        // \do is ldr or str; the image is at x16.
        .macro  each_integer do
        .set    offset, 0
        .irp    i, BELOW_16, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
        \do     x\i, [x16, #offset]
        .set    offset, offset + 8
        .endr
        .endm

        // The vectors are at x16.
        .macro  each_neon do
        .set    offset, 0
        .irp    i, BELOW_32
        \do     q\i, [x16, #offset]
        .set    offset, offset + 16
        .endr
        .endm

        .macro  each_sve do
        .irp    i, BELOW_32
        \do     z\i, [x16, #\i, mul vl]
        .endr
        .endm

        // The predicates are at x16.
        .macro  each_predicate do
        .irp    i, BELOW_16
        \do     p\i, [x16, #\i, mul vl]
        .endr
        .endm

        .macro  function name
        .globl  \name
        .type   \name, %function
\name:
        .cfi_startproc
        hint    #34
        .endm
        .macro  end_function name
        .cfi_endproc
        .size   \name, .-\name
        .endm

        .text
        function firstcall_test_call_with_registers
        stp     x29, x30, [sp, #-160]!
        .cfi_def_cfa_offset 160
        .cfi_offset x29, -160
        .cfi_offset x30, -152
        stp     x19, x20, [sp, #16]
        stp     x21, x22, [sp, #32]
        stp     x23, x24, [sp, #48]
        stp     x25, x26, [sp, #64]
        stp     x27, x28, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        .set    register, 19
        .irp    i, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
        .cfi_offset x\i, -144 + 8 * (register - 19)
        .set    register, register + 1
        .endr

        address x16, firstcall_test_level
        ldr     w17, [x16]
        address x16, firstcall_test_given + VECTORS
        cbnz    w17, .Lload_sve
        each_neon ldr
        b       .Lload_integers
.Lload_sve:
        each_sve ldr
        address x16, firstcall_test_given + PREDICATES
        ldr     p0, [x16, #16, mul vl]
        wrffr   p0.b
        each_predicate ldr
.Lload_integers:
        address x16, firstcall_test_given
        each_integer ldr
        adrp    x17, firstcall_test_callee
        ldr     x17, [x17, :lo12:firstcall_test_callee]
        blr     x17

        ldp     x19, x20, [sp, #16]
        ldp     x21, x22, [sp, #32]
        ldp     x23, x24, [sp, #48]
        ldp     x25, x26, [sp, #64]
        ldp     x27, x28, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        ldp     x29, x30, [sp], #160
        .cfi_def_cfa_offset 0
        ret
        end_function firstcall_test_call_with_registers

        function firstcall_test_find_registers
        address x16, firstcall_test_found
        each_integer str
        address x16, firstcall_test_level
        ldr     w17, [x16]
        address x16, firstcall_test_found + VECTORS
        cbnz    w17, .Lstore_sve
        each_neon str
        ret
.Lstore_sve:
        each_sve str
        address x16, firstcall_test_found + PREDICATES
        each_predicate str
        rdffr   p0.b
        str     p0, [x16, #16, mul vl]
        ret
        end_function firstcall_test_find_registers

        function firstcall_test_clobber_registers
        // What a C++ function that it is called from relies on.
        sub     sp, sp, #64
        stp     d8, d9, [sp]
        stp     d10, d11, [sp, #16]
        stp     d12, d13, [sp, #32]
        stp     d14, d15, [sp, #48]
        .irp    i, BELOW_16, 18
        mov     x\i, #-1
        .endr
        adrp    x16, firstcall_test_level
        ldr     w17, [x16, :lo12:firstcall_test_level]
        cbnz    w17, .Lclobber_sve
        .irp    i, BELOW_32
        movi    v\i\().16b, #255
        .endr
        b       .Lclobbered
.Lclobber_sve:
        .irp    i, BELOW_32
        mov     z\i\().b, #-1
        .endr
        .irp    i, BELOW_16
        ptrue   p\i\().b
        .endr
        setffr
.Lclobbered:
        ldp     d8, d9, [sp]
        ldp     d10, d11, [sp, #16]
        ldp     d12, d13, [sp, #32]
        ldp     d14, d15, [sp, #48]
        add     sp, sp, #64
        ret
        end_function firstcall_test_clobber_registers

        function firstcall_test_vector_length
        rdvl    x0, #1
        ret
        end_function firstcall_test_vector_length
#endif
        .section .note.GNU-stack, "", %progbits
