// The resolvers of thread-local descriptors (AArch64; ELF for the Arm 64-bit Architecture, TLS
// descriptors).
//
// On entry x0 holds the descriptor's address, and x30 the return address; on return, x0 holds the
// variable's distance from the thread pointer. All other registers are kept, but not the flags.

#if defined(__aarch64__)
        .text

        .globl  firstcall_thread_local_block
        .hidden firstcall_thread_local_block
        .type   firstcall_thread_local_block, %function
        .p2align 4
firstcall_thread_local_block:
        .cfi_startproc
        hint    #34                             // bti c
        stp     x1, x2, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        mrs     x1, tpidr_el0
        adrp    x2, :gottprel:firstcall_thread_local_table
        ldr     x2, [x2, :gottprel_lo12:firstcall_thread_local_table]
        ldr     x1, [x1, x2]
        ldr     x2, [x0, #8]
        ldr     x1, [x1, x2]                    // The block's distance; 0: there is none.
        cbz     x1, .Lno_block
        ldr     x2, [x0, #16]
        add     x0, x1, x2
        ldp     x1, x2, [sp], #16
        .cfi_remember_state
        .cfi_adjust_cfa_offset -16
        ret
.Lno_block:
        .cfi_restore_state
        ldp     x1, x2, [sp], #16
        .cfi_adjust_cfa_offset -16
        b       firstcall_thread_local_computed
        .cfi_endproc
        .size   firstcall_thread_local_block, .-firstcall_thread_local_block

        .globl  firstcall_thread_local_null
        .hidden firstcall_thread_local_null
        .type   firstcall_thread_local_null, %function
        .p2align 4
firstcall_thread_local_null:
        .cfi_startproc
        hint    #34                             // bti c
        mrs     x0, tpidr_el0
        neg     x0, x0
        ret
        .cfi_endproc
        .size   firstcall_thread_local_null, .-firstcall_thread_local_null

// Has the reentry save all registers and call the C++ function. The word at sp + 8 holds the
// descriptor's address, and then the result. The reentry changes x16 and x17.
        .globl  firstcall_thread_local_computed
        .hidden firstcall_thread_local_computed
        .type   firstcall_thread_local_computed, %function
        .p2align 4
firstcall_thread_local_computed:
        .cfi_startproc
        hint    #34                             // bti c
        stp     x30, x0, [sp, #-32]!
        .cfi_adjust_cfa_offset 32
        .cfi_offset x30, -32
        stp     x16, x17, [sp, #16]
        add     x0, sp, #8
        bl      .Lcall_reentry
        ldp     x16, x17, [sp, #16]
        ldp     x30, x0, [sp], #32
        .cfi_adjust_cfa_offset -32
        .cfi_restore x30
        ret
        .cfi_endproc
        .size   firstcall_thread_local_computed, .-firstcall_thread_local_computed

        .type   .Lcall_reentry, %function
.Lcall_reentry:
        .cfi_startproc
        adrp    x16, firstcall_thread_local_context
        ldr     x16, [x16, :lo12:firstcall_thread_local_context]
        stp     x16, x0, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        adrp    x16, firstcall_thread_local_reentry
        ldr     x16, [x16, :lo12:firstcall_thread_local_reentry]
        br      x16
        .cfi_endproc

        .globl  firstcall_thread_local_return
        .hidden firstcall_thread_local_return
        .type   firstcall_thread_local_return, %function
        .p2align 4
firstcall_thread_local_return:
        .cfi_startproc
        hint    #34                             // bti c
        ret
        .cfi_endproc
        .size   firstcall_thread_local_return, .-firstcall_thread_local_return
#endif
        .section .note.GNU-stack, "", %progbits
