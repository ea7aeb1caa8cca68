// The resolvers of thread-local descriptors (x86-64; ABI: TLS Descriptors for x86, Oliva).
//
// On entry RAX holds the descriptor's address; on return, the variable's distance from the thread
// pointer. All other registers are kept, but not the flags.

#if defined(__x86_64__)
        .text

        .globl  firstcall_thread_local_block
        .hidden firstcall_thread_local_block
        .type   firstcall_thread_local_block, @function
        .p2align 4
firstcall_thread_local_block:
        .cfi_startproc
        endbr64
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        movq    firstcall_thread_local_table@gottpoff(%rip), %rdx
        movq    %fs:(%rdx), %rdx
        addq    8(%rax), %rdx
        movq    (%rdx), %rdx                    // The block's distance; 0: there is none.
        testq   %rdx, %rdx
        jz      .Lno_block
        movq    16(%rax), %rax
        addq    %rdx, %rax
        popq    %rdx
        .cfi_remember_state
        .cfi_adjust_cfa_offset -8
        ret
.Lno_block:
        .cfi_restore_state
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        jmp     firstcall_thread_local_computed
        .cfi_endproc
        .size   firstcall_thread_local_block, .-firstcall_thread_local_block

        .globl  firstcall_thread_local_null
        .hidden firstcall_thread_local_null
        .type   firstcall_thread_local_null, @function
        .p2align 4
firstcall_thread_local_null:
        .cfi_startproc
        endbr64
        xorl    %eax, %eax
        subq    %fs:0, %rax
        ret
        .cfi_endproc
        .size   firstcall_thread_local_null, .-firstcall_thread_local_null

// Has the reentry save all registers and call the C++ function. The word on the stack holds the
// descriptor's address, and then the result.
        .globl  firstcall_thread_local_computed
        .hidden firstcall_thread_local_computed
        .type   firstcall_thread_local_computed, @function
        .p2align 4
firstcall_thread_local_computed:
        .cfi_startproc
        endbr64
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        call    .Lcall_reentry
        popq    %rax
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   firstcall_thread_local_computed, .-firstcall_thread_local_computed

        .type   .Lcall_reentry, @function
.Lcall_reentry:
        .cfi_startproc
        leaq    8(%rsp), %rax                   // The address of the word.
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        pushq   firstcall_thread_local_context(%rip)
        .cfi_adjust_cfa_offset 8
        jmp     *firstcall_thread_local_reentry(%rip)
        .cfi_endproc

        .globl  firstcall_thread_local_return
        .hidden firstcall_thread_local_return
        .type   firstcall_thread_local_return, @function
        .p2align 4
firstcall_thread_local_return:
        .cfi_startproc
        endbr64
        ret
        .cfi_endproc
        .size   firstcall_thread_local_return, .-firstcall_thread_local_return
#endif
        .section .note.GNU-stack, "", @progbits
