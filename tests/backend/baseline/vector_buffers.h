// Functions in IR that give vectors contents, and make a number of the contents of memory.

#ifndef FIRSTCALL_TESTS_BACKEND_BASELINE_VECTOR_BUFFERS_H_
#define FIRSTCALL_TESTS_BACKEND_BASELINE_VECTOR_BUFFERS_H_

namespace firstcall {

// Of 65 times 8 bytes. `fill` writes what depends on two numbers; `hash` depends on each byte.
inline constexpr char kVectorBuffers[] = R"(
define void @fill(ptr %p, i64 %i, i64 %j) {
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %k1, %loop ]
  %s = phi i64 [ %i, %0 ], [ %s3, %loop ]
  %q = getelementptr i64, ptr %p, i64 %k
  store i64 %s, ptr %q
  %s1 = mul i64 %s, 6364136223846793005
  %s2 = add i64 %s1, %j
  %up = lshr i64 %s2, 29
  %s3 = xor i64 %s2, %up
  %k1 = add i64 %k, 1
  %done = icmp eq i64 %k1, 65
  br i1 %done, label %end, label %loop
end:
  ret void
}
define i64 @hash(ptr %p) {
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %k1, %loop ]
  %s = phi i64 [ 1, %0 ], [ %s3, %loop ]
  %q = getelementptr i64, ptr %p, i64 %k
  %v = load i64, ptr %q
  %s1 = mul i64 %s, 1099511628211
  %s2 = xor i64 %s1, %v
  %up = lshr i64 %s2, 31
  %s3 = add i64 %s2, %up
  %k1 = add i64 %k, 1
  %done = icmp eq i64 %k1, 65
  br i1 %done, label %end, label %loop
end:
  ret i64 %s3
}
)";

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_BACKEND_BASELINE_VECTOR_BUFFERS_H_
