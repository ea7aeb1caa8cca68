// The entry of polls (stubs/poll_entry.h; AArch64, AAPCS64).
//
// On entry x15 holds the counter's address and w17 the loop's number; the return address is in x30.
// Any other register may hold a value of the body's, a vector register at most 16 bytes of one.

#if defined(__aarch64__)

// The bytes of SavedRegisters, which lie at the stack pointer, and of a place for a LoopExit.
#define SAVED   768
#define FRAME   (SAVED + 16)

        .text
        .globl  firstcall_poll_aarch64
        .hidden firstcall_poll_aarch64
        .type   firstcall_poll_aarch64, %function
        .p2align 4
firstcall_poll_aarch64:
        .cfi_startproc
        hint    #34                             // bti c
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x29, -16
        .cfi_offset x30, -8
        mov     x29, sp
        .cfi_def_cfa_register x29
        sub     sp, sp, #FRAME
        stp     x0, x1, [sp, #0]
        stp     x2, x3, [sp, #16]
        stp     x4, x5, [sp, #32]
        stp     x6, x7, [sp, #48]
        stp     x8, x9, [sp, #64]
        stp     x10, x11, [sp, #80]
        stp     x12, x13, [sp, #96]
        stp     x14, x15, [sp, #112]
        stp     x16, x17, [sp, #128]
        stp     x18, x19, [sp, #144]
        stp     x20, x21, [sp, #160]
        stp     x22, x23, [sp, #176]
        stp     x24, x25, [sp, #192]
        stp     x26, x27, [sp, #208]
        ldr     x0, [x29]                       // The frame pointer of the body.
        stp     x28, x0, [sp, #224]
        stp     q0, q1, [sp, #256]
        stp     q2, q3, [sp, #288]
        stp     q4, q5, [sp, #320]
        stp     q6, q7, [sp, #352]
        stp     q8, q9, [sp, #384]
        stp     q10, q11, [sp, #416]
        stp     q12, q13, [sp, #448]
        stp     q14, q15, [sp, #480]
        stp     q16, q17, [sp, #512]
        stp     q18, q19, [sp, #544]
        stp     q20, q21, [sp, #576]
        stp     q22, q23, [sp, #608]
        stp     q24, q25, [sp, #640]
        stp     q26, q27, [sp, #672]
        stp     q28, q29, [sp, #704]
        stp     q30, q31, [sp, #736]
        mov     x0, x15
        mov     w1, w17
        bl      firstcall_poll_answer
        cbnz    x0, .Lleave
.Lgo_on:
        ldp     q0, q1, [sp, #256]
        ldp     q2, q3, [sp, #288]
        ldp     q4, q5, [sp, #320]
        ldp     q6, q7, [sp, #352]
        ldp     q8, q9, [sp, #384]
        ldp     q10, q11, [sp, #416]
        ldp     q12, q13, [sp, #448]
        ldp     q14, q15, [sp, #480]
        ldp     q16, q17, [sp, #512]
        ldp     q18, q19, [sp, #544]
        ldp     q20, q21, [sp, #576]
        ldp     q22, q23, [sp, #608]
        ldp     q24, q25, [sp, #640]
        ldp     q26, q27, [sp, #672]
        ldp     q28, q29, [sp, #704]
        ldp     q30, q31, [sp, #736]
        ldp     x0, x1, [sp, #0]
        ldp     x2, x3, [sp, #16]
        ldp     x4, x5, [sp, #32]
        ldp     x6, x7, [sp, #48]
        ldp     x8, x9, [sp, #64]
        ldp     x10, x11, [sp, #80]
        ldp     x12, x13, [sp, #96]
        ldp     x14, x15, [sp, #112]
        ldp     x16, x17, [sp, #128]
        ldr     x18, [sp, #144]
        mov     sp, x29
        .cfi_remember_state
        ldp     x29, x30, [sp], #16
        .cfi_def_cfa sp, 0
        .cfi_restore x29
        .cfi_restore x30
        ret
        .cfi_restore_state
.Lleave:
        str     x0, [sp, #SAVED]
        mov     x1, sp
        ldr     x2, [x0, #16]
        sub     x2, x1, x2
        and     x2, x2, #-64
        mov     sp, x2
        bl      firstcall_poll_fill
        sub     x1, x29, #FRAME
        tbnz    w0, #0, .Lfilled
        mov     sp, x1
        b       .Lgo_on
.Lfilled:
        // The registers that the body may have fixed and that calls change. The others are as they
        // were.
        ldp     x10, x11, [x1, #80]
        ldp     x12, x13, [x1, #96]
        ldr     x14, [x1, #112]
        ldp     q16, q17, [x1, #512]
        ldp     q18, q19, [x1, #544]
        ldp     q20, q21, [x1, #576]
        ldp     q22, q23, [x1, #608]
        ldr     x1, [x1, #SAVED]
        ldp     x9, x17, [x1]
        mov     x0, sp
        // From here on as in the body, whose frame begins at x29, too.
        ldr     x29, [x29]
        br      x17
        .cfi_endproc
        .size   firstcall_poll_aarch64, .-firstcall_poll_aarch64
#endif
        .section .note.GNU-stack, "", %progbits
