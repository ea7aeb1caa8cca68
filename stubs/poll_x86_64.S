// The entry of polls (stubs/poll_entry.h; x86-64, System V).
//
// On entry the stack holds the return address and the loop's number, r11 the counter's address.
// Any register may hold a value of the body's; no state of AVX, x87 or the flags is in use. The
// return goes to where the call came from, so shadow stacks agree; where the body is left, the
// return address of this call is taken from the shadow stack, if there is one.

#if defined(__x86_64__)

// The bytes of SavedRegisters, which lie at the stack pointer, and of a place for a LoopExit.
#define SAVED   768
#define FRAME   (SAVED + 8)

        .text
        .globl  firstcall_poll_x86_64
        .hidden firstcall_poll_x86_64
        .type   firstcall_poll_x86_64, @function
        .p2align 4
firstcall_poll_x86_64:
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        subq    $FRAME, %rsp
        // In the order of DWARF's numbers.
        movq    %rax, 0(%rsp)
        movq    %rdx, 8(%rsp)
        movq    %rcx, 16(%rsp)
        movq    %rbx, 24(%rsp)
        movq    %rsi, 32(%rsp)
        movq    %rdi, 40(%rsp)
        movq    %r8, 64(%rsp)
        movq    %r9, 72(%rsp)
        movq    %r10, 80(%rsp)
        movq    %r11, 88(%rsp)
        movq    %r12, 96(%rsp)
        movq    %r13, 104(%rsp)
        movq    %r14, 112(%rsp)
        movq    %r15, 120(%rsp)
        movq    (%rbp), %rax                    // The frame pointer of the body.
        movq    %rax, 48(%rsp)
        movups  %xmm0, 256(%rsp)
        movups  %xmm1, 272(%rsp)
        movups  %xmm2, 288(%rsp)
        movups  %xmm3, 304(%rsp)
        movups  %xmm4, 320(%rsp)
        movups  %xmm5, 336(%rsp)
        movups  %xmm6, 352(%rsp)
        movups  %xmm7, 368(%rsp)
        movups  %xmm8, 384(%rsp)
        movups  %xmm9, 400(%rsp)
        movups  %xmm10, 416(%rsp)
        movups  %xmm11, 432(%rsp)
        movups  %xmm12, 448(%rsp)
        movups  %xmm13, 464(%rsp)
        movups  %xmm14, 480(%rsp)
        movups  %xmm15, 496(%rsp)
        cld
        movq    %r11, %rdi
        movl    16(%rbp), %esi
        call    firstcall_poll_answer
        testq   %rax, %rax
        jnz     .Lleave
.Lgo_on:
        movups  256(%rsp), %xmm0
        movups  272(%rsp), %xmm1
        movups  288(%rsp), %xmm2
        movups  304(%rsp), %xmm3
        movups  320(%rsp), %xmm4
        movups  336(%rsp), %xmm5
        movups  352(%rsp), %xmm6
        movups  368(%rsp), %xmm7
        movups  384(%rsp), %xmm8
        movups  400(%rsp), %xmm9
        movups  416(%rsp), %xmm10
        movups  432(%rsp), %xmm11
        movups  448(%rsp), %xmm12
        movups  464(%rsp), %xmm13
        movups  480(%rsp), %xmm14
        movups  496(%rsp), %xmm15
        movq    0(%rsp), %rax
        movq    8(%rsp), %rdx
        movq    16(%rsp), %rcx
        movq    32(%rsp), %rsi
        movq    40(%rsp), %rdi
        movq    64(%rsp), %r8
        movq    72(%rsp), %r9
        movq    80(%rsp), %r10
        leave
        .cfi_remember_state
        .cfi_def_cfa %rsp, 8
        .cfi_restore %rbp
        ret     $8
        .cfi_restore_state
.Lleave:
        movq    %rax, -8(%rbp)
        movq    %rsp, %rsi
        subq    16(%rax), %rsp
        andq    $-64, %rsp
        movq    %rax, %rdi
        movq    %rsp, %rdx
        call    firstcall_poll_fill
        testb   %al, %al
        jnz     .Lfilled
        leaq    -FRAME(%rbp), %rsp
        jmp     .Lgo_on
.Lfilled:
        xorl    %ecx, %ecx
        rdsspq  %rcx                            // Changes nothing if there is no shadow stack.
        testq   %rcx, %rcx
        jz      .Lbalanced
        movl    $1, %ecx
        incsspq %rcx
.Lbalanced:
        // The registers that the body may have fixed and that calls change. The others are as they
        // were.
        movq    64-FRAME(%rbp), %r8
        movq    72-FRAME(%rbp), %r9
        movups  384-FRAME(%rbp), %xmm8
        movups  400-FRAME(%rbp), %xmm9
        movups  416-FRAME(%rbp), %xmm10
        movups  432-FRAME(%rbp), %xmm11
        movups  448-FRAME(%rbp), %xmm12
        movups  464-FRAME(%rbp), %xmm13
        movq    -8(%rbp), %rax
        movq    %rsp, %rdi
        movq    (%rax), %r10
        movq    8(%rax), %r11
        // From here on as in the body, whose frame begins at rbp, too.
        movq    (%rbp), %rbp
        jmp     *%r11
        .cfi_endproc
        .size   firstcall_poll_x86_64, .-firstcall_poll_x86_64
#endif
        .section .note.GNU-stack, "", @progbits
