// Where the call of a stub continues if its function is not published yet, or the call of a counter
// that has run out (AArch64, AAPCS64).
//
// On entry the stack holds, from the top, the block's context and the index of the stub or counter;
// the return address is in x30. Any register but x16 and x17 may carry an argument in some calling
// convention:
//   - x0 to x15, x18, x30 and the frame pointer are saved here; the C++ function preserves the
//     others;
//   - the C++ function preserves only the lower halves of some vector registers, so all are saved:
//     z0 to z31, p0 to p15 and the first-fault register if the CPU has SVE, whatever its vector
//     length; otherwise q0 to q31.
// The C++ function saves and restores the floating-point environment.
//
// The return address is never changed, and every return goes to where the call came from, so a
// guarded control stack agrees. The jumps here go through x16 and x17 and may land on `bti c`.

#if defined(__aarch64__)
        .arch   armv8.2-a+sve

// Offsets from the frame record. Above it lie the context and the index.
#define CONTEXT 16
#define TARGET  24
// Below it lie the integer registers, from x0 on.
#define INTEGERS_SIZE 144
#define X18     128

#define EACH_PAIR_BELOW_16 0, 2, 4, 6, 8, 10, 12, 14
#define EACH_PAIR EACH_PAIR_BELOW_16, 16, 18, 20, 22, 24, 26, 28, 30
#define BELOW_16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define BELOW_32 BELOW_16, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

        // \operation is stp or ldp.
        .macro  pair operation, kind, number, size
        .altmacro
        pair_of \operation, \kind, \number, %(\number + 1), %(\number * \size)
        .noaltmacro
        .endm
        .macro  pair_of operation, kind, first, second, offset
        \operation \kind\first, \kind\second, [sp, #\offset]
        .endm

        // For debuggers, as in reentry_x86_64.S.
        .section .plt.sec, "ax", %progbits
        .type   _dl_fixup, %function
        .p2align 4
_dl_fixup:
        .cfi_startproc
        b       firstcall_reentry_resolve
        .cfi_endproc
        .size   _dl_fixup, .-_dl_fixup

        .type   _dl_runtime_resolve, %function
        .globl  firstcall_reentry_aarch64
        .hidden firstcall_reentry_aarch64
        .type   firstcall_reentry_aarch64, %function
        .p2align 4
firstcall_reentry_aarch64:
_dl_runtime_resolve:
        .cfi_startproc
        .cfi_def_cfa sp, 16
        hint    #34                             // bti c
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 32
        .cfi_offset x29, -32
        .cfi_offset x30, -24
        mov     x29, sp
        .cfi_def_cfa_register x29
        sub     sp, sp, #INTEGERS_SIZE
        .irp    i, EACH_PAIR_BELOW_16
        pair    stp, x, \i, 8
        .endr
        str     x18, [sp, #X18]

        adrp    x0, firstcall_reentry_has_sve
        ldr     w0, [x0, :lo12:firstcall_reentry_has_sve]
        cbz     w0, .Lsave_neon
        addvl   sp, sp, #-32
        .irp    i, BELOW_32
        str     z\i, [sp, #\i, mul vl]
        .endr
        addvl   sp, sp, #-3                     // Room for 24 predicates.
        .irp    i, BELOW_16
        str     p\i, [sp, #\i, mul vl]
        .endr
        rdffr   p0.b
        str     p0, [sp, #16, mul vl]
        b       .Lsaved
.Lsave_neon:
        sub     sp, sp, #512
        .irp    i, EACH_PAIR
        pair    stp, q, \i, 16
        .endr
.Lsaved:
        ldp     x0, x1, [x29, #CONTEXT]
        ldr     x2, [x29, #8]
        bl      _dl_fixup
        str     x0, [x29, #TARGET]              // The index is not needed any more.

        adrp    x0, firstcall_reentry_has_sve
        ldr     w0, [x0, :lo12:firstcall_reentry_has_sve]
        cbz     w0, .Lrestore_neon
        ldr     p0, [sp, #16, mul vl]
        wrffr   p0.b
        .irp    i, BELOW_16
        ldr     p\i, [sp, #\i, mul vl]
        .endr
        addvl   sp, sp, #3
        .irp    i, BELOW_32
        ldr     z\i, [sp, #\i, mul vl]
        .endr
        b       .Lrestored
.Lrestore_neon:
        .irp    i, EACH_PAIR
        pair    ldp, q, \i, 16
        .endr
.Lrestored:
        sub     sp, x29, #INTEGERS_SIZE
        ldr     x18, [sp, #X18]
        .irp    i, EACH_PAIR_BELOW_16
        pair    ldp, x, \i, 8
        .endr
        mov     sp, x29
        ldp     x29, x30, [sp], #16
        .cfi_def_cfa sp, 16
        .cfi_restore x29
        .cfi_restore x30
        ldp     x16, x17, [sp], #16
        .cfi_def_cfa_offset 0
        br      x17
        .cfi_endproc
        .size   firstcall_reentry_aarch64, .-firstcall_reentry_aarch64
#endif
        .section .note.GNU-stack, "", %progbits
