// See registers_x86_64.h. Everything is addressed relative to the instruction pointer, so that no
// register is needed to find it.

#if defined(__x86_64__)

#define UP_TO_15 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define UP_TO_31 UP_TO_15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

// Offsets in a RegisterImage.
#define MASK(i) 128 + 8 * i
#define VECTOR(i) 192 + 64 * i
#define IMAGE_SIZE 2240

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
        .zero   4

        .macro  for_each_integer do
        \do     rax, 0
        \do     rbx, 8
        \do     rcx, 16
        \do     rdx, 24
        \do     rsi, 32
        \do     rdi, 40
        \do     rbp, 48
        \do     r8, 56
        \do     r9, 64
        \do     r10, 72
        \do     r11, 80
        \do     r12, 88
        \do     r13, 96
        \do     r14, 104
        \do     r15, 112
        .endm

        .macro  load name, offset
        movq    firstcall_test_given + \offset(%rip), %\name
        .endm

        .macro  store name, offset
        movq    %\name, firstcall_test_found + \offset(%rip)
        .endm

        .text
        .globl  firstcall_test_call_with_registers
        .type   firstcall_test_call_with_registers, @function
firstcall_test_call_with_registers:
        .cfi_startproc
        endbr64
        .irp    register, rbx, rbp, r12, r13, r14, r15
        pushq   %\register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %\register, 0
        .endr
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8

        cmpl    $1, firstcall_test_level(%rip)
        jb      .Lload_sse
        je      .Lload_avx
        .irp    i, UP_TO_31
        vmovdqu64 firstcall_test_given + VECTOR(\i)(%rip), %zmm\i
        .endr
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        kmovq   firstcall_test_given + MASK(\i)(%rip), %k\i
        .endr
        jmp     .Lload_integers
.Lload_avx:
        .irp    i, UP_TO_15
        vmovdqu firstcall_test_given + VECTOR(\i)(%rip), %ymm\i
        .endr
        jmp     .Lload_integers
.Lload_sse:
        .irp    i, UP_TO_15
        movdqu  firstcall_test_given + VECTOR(\i)(%rip), %xmm\i
        .endr
.Lload_integers:
        for_each_integer load
        call    *firstcall_test_callee(%rip)

        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        .irp    register, r15, r14, r13, r12, rbp, rbx
        popq    %\register
        .cfi_adjust_cfa_offset -8
        .cfi_restore %\register
        .endr
        ret
        .cfi_endproc
        .size   firstcall_test_call_with_registers, .-firstcall_test_call_with_registers

        .globl  firstcall_test_find_registers
        .type   firstcall_test_find_registers, @function
firstcall_test_find_registers:
        .cfi_startproc
        endbr64
        for_each_integer store
        cmpl    $1, firstcall_test_level(%rip)
        jb      .Lstore_sse
        je      .Lstore_avx
        .irp    i, UP_TO_31
        vmovdqu64 %zmm\i, firstcall_test_found + VECTOR(\i)(%rip)
        .endr
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        kmovq   %k\i, firstcall_test_found + MASK(\i)(%rip)
        .endr
        vzeroupper
        ret
.Lstore_avx:
        .irp    i, UP_TO_15
        vmovdqu %ymm\i, firstcall_test_found + VECTOR(\i)(%rip)
        .endr
        vzeroupper
        ret
.Lstore_sse:
        .irp    i, UP_TO_15
        movdqu  %xmm\i, firstcall_test_found + VECTOR(\i)(%rip)
        .endr
        ret
        .cfi_endproc
        .size   firstcall_test_find_registers, .-firstcall_test_find_registers

        .globl  firstcall_test_clobber_registers
        .type   firstcall_test_clobber_registers, @function
firstcall_test_clobber_registers:
        .cfi_startproc
        endbr64
        .irp    register, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
        movq    $-1, %\register
        .endr
        cmpl    $1, firstcall_test_level(%rip)
        jb      .Lclobber_sse
        je      .Lclobber_avx
        .irp    i, UP_TO_31
        vpternlogd $255, %zmm\i, %zmm\i, %zmm\i
        .endr
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        kxnorq  %k\i, %k\i, %k\i
        .endr
        ret
.Lclobber_avx:
        vpcmpeqd %xmm0, %xmm0, %xmm0
        vinsertf128 $1, %xmm0, %ymm0, %ymm0
        .irp    i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        vmovups %ymm0, %ymm\i
        .endr
        ret
.Lclobber_sse:
        .irp    i, UP_TO_15
        pcmpeqd %xmm\i, %xmm\i
        .endr
        ret
        .cfi_endproc
        .size   firstcall_test_clobber_registers, .-firstcall_test_clobber_registers
#endif
        .section .note.GNU-stack, "", @progbits
