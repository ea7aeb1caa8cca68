// Where the call of a stub continues if its function is not published yet, or the call of a counter
// that has run out (x86-64, System V).
//
// On entry the stack holds, from the top: the block's context, the index of the stub or counter,
// and the caller's return address. Any register may carry an argument in some calling convention:
//   - the integer registers that a C++ function may change are saved here; it preserves the others;
//   - vector, mask and x87 state, and the registers of APX, are saved by XSAVE, with the components
//     and the size that stub_x86_64.cc found by CPUID. FXSAVE, which would lose the upper parts of
//     registers, is used only where XSAVE is not available.
// The C++ function saves and restores the floating-point environment; the call continues in the
// environment that the function leaves.
//
// The return address is never changed, and every return goes to where the call came from, so shadow
// stacks agree. The final jump reads its target from below the stack pointer, where signal handlers
// write nothing (psABI 3.2.2, the red zone), so that no register is lost.

// GDB steps through the reentry as it does through the dynamic linker's: it takes each instruction
// of a section with this name, runs a function named _dl_fixup at full speed, and so arrives in the
// function that is called (GDB 13, glibc_skip_solib_resolver). It looks for that function in the
// file that has a _dl_runtime_resolve. Both names are local.

#if defined(__x86_64__)
        .section .plt.sec, "ax", @progbits
        .type   _dl_fixup, @function
        .p2align 4
_dl_fixup:
        .cfi_startproc
        endbr64
        jmp     firstcall_reentry_resolve
        .cfi_endproc
        .size   _dl_fixup, .-_dl_fixup

        .type   _dl_runtime_resolve, @function
        .globl  firstcall_reentry_x86_64
        .hidden firstcall_reentry_x86_64
        .type   firstcall_reentry_x86_64, @function
        .p2align 4
firstcall_reentry_x86_64:
_dl_runtime_resolve:
        .cfi_startproc
        .cfi_def_cfa %rsp, 24
        endbr64
        pushq   %rbp
        .cfi_def_cfa_offset 32
        .cfi_offset %rbp, -32
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        // 8(%rbp): context, 16(%rbp): index, 24(%rbp): return address.
        pushq   %rax
        pushq   %rcx
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11

        subq    firstcall_reentry_save_size(%rip), %rsp
        andq    $-64, %rsp
        movl    firstcall_reentry_save_mask(%rip), %eax
        testl   %eax, %eax
        jz      .Lsave_legacy
        // XRSTOR requires zeros in the parts of the header that XSAVE does not write.
        xorl    %edx, %edx
        movq    %rdx, 512(%rsp)
        movq    %rdx, 520(%rsp)
        movq    %rdx, 528(%rsp)
        movq    %rdx, 536(%rsp)
        movq    %rdx, 544(%rsp)
        movq    %rdx, 552(%rsp)
        movq    %rdx, 560(%rsp)
        movq    %rdx, 568(%rsp)
        xsave64 (%rsp)
        jmp     .Lsaved
.Lsave_legacy:
        fxsave64 (%rsp)
.Lsaved:
        cld
        // The x87 registers may be in use, or be MMX registers: mark them empty, and keep the
        // environment.
        subq    $32, %rsp
        fnstenv (%rsp)
        movw    $0xffff, 8(%rsp)                // The tag word.
        fldenv  (%rsp)
        addq    $32, %rsp
        movq    8(%rbp), %rdi
        movq    16(%rbp), %rsi
        movq    24(%rbp), %rdx
        call    _dl_fixup
        movq    %rax, 16(%rbp)                  // The index is not needed any more.

        stmxcsr 24(%rsp)
        fnstcw  (%rsp)
        fnstsw  %ax
        movb    %al, 2(%rsp)                    // Exceptions, without the top of the stack.
        movl    firstcall_reentry_save_mask(%rip), %eax
        testl   %eax, %eax
        jz      .Lrestore_legacy
        orl     $1, 512(%rsp)                   // The x87 state may have been the initial one.
        xorl    %edx, %edx
        xrstor64 (%rsp)
        jmp     .Lrestored
.Lrestore_legacy:
        fxrstor64 (%rsp)
.Lrestored:
        leaq    -72(%rbp), %rsp
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rdx
        popq    %rcx
        popq    %rax
        popq    %rbp
        .cfi_def_cfa %rsp, 24
        .cfi_restore %rbp
        leaq    16(%rsp), %rsp                  // Unlike ADD, leaves the flags alone.
        .cfi_def_cfa_offset 8
        jmp     *-8(%rsp)
        .cfi_endproc
        .size   firstcall_reentry_x86_64, .-firstcall_reentry_x86_64
#endif
        .section .note.GNU-stack, "", @progbits
