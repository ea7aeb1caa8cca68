#include "tests/differential/attribute_body.h"

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "third_party/llvm/version/passes.h"

namespace firstcall::testing {
namespace {

bool IsNumber(absl::string_view type) { return type == "float" || type == "double"; }

int BitsOf(absl::string_view type) {
  if (type == "float") return 32;
  if (type == "double") return 64;
  int bits = 0;
  (void)absl::SimpleAtoi(type.substr(1), &bits);
  return bits;
}

// How intrinsics' names end.
std::string Suffix(const std::string& type) {
  return type == "float" ? "f32" : type == "double" ? "f64" : type;
}

class Body {
 public:
  explicit Body(Random& random) : random_(random) {}

  template <typename... Arguments>
  void Line(absl::string_view format, const Arguments&... arguments) {
    absl::StrAppend(&text_, "  ", absl::Substitute(format, arguments...), "\n");
  }

  // The new value that the instruction makes.
  template <typename... Arguments>
  std::string Value(absl::string_view format, const Arguments&... arguments) {
    const std::string name = absl::StrCat("%v", ++values_);
    Line("$0 = $1", name, absl::Substitute(format, arguments...));
    return name;
  }

  // A call of `intrinsic` with arguments and a result of `type`.
  std::string Intrinsic(absl::string_view intrinsic, const std::string& type,
                        const std::vector<std::string>& arguments, absl::string_view more = "") {
    const std::string values =
        absl::StrJoin(arguments, ", ", [&](std::string* text, const std::string& argument) {
          absl::StrAppend(text, type, " ", argument);
        });
    return Value("call $0 @llvm.$1.$2($3$4)", type, intrinsic, Suffix(type), values, more);
  }

  std::string NewBlock() { return absl::StrCat("b", ++blocks_); }
  void Begin(const std::string& block) {
    absl::StrAppend(&text_, block, ":\n");
    block_ = block;
  }
  void Jump(const std::string& block) {
    Line("br label %$0", block);
    Begin(block);
  }

  unsigned Below(unsigned n) { return random_() % n; }
  Random& random() { return random_; }
  const std::string& block() const { return block_; }
  const std::string& text() const { return text_; }

 private:
  Random& random_;
  std::string text_;
  std::string block_ = "entry";
  int values_ = 0;
  int blocks_ = 0;
};

// Conditions that hold for all values, and what no code is generated for.
void AddHints(Body& body, const std::string& pointer) {
  switch (body.Below(12)) {
    case 0: {
      const std::string low = body.Value("ptrtoint ptr $0 to i64", pointer);
      const std::string rest = body.Value("and i64 $0, 7", low);
      const std::string is_aligned = body.Value("icmp eq i64 $0, 0", rest);
      body.Line("call void @llvm.assume(i1 $0)", is_aligned);
      break;
    }
    case 1:
      body.Line("call void @llvm.assume(i1 true) [ \"align\"(ptr $0, i64 64) ]", pointer);
      break;
    case 2:
      body.Line("call void @llvm.prefetch.p0(ptr $0, i32 0, i32 3, i32 1)", pointer);
      break;
    case 3:
      body.Line("call void @llvm.donothing()");
      break;
    case 4:
      body.Line("call void @llvm.sideeffect()");
      break;
    case 5: {
      // The size may be known or not.
      const std::string size = body.Value(
          "call i64 @llvm.objectsize.i64.p0(ptr $0, i1 false, i1 true, i1 false)", pointer);
      const std::string is_zero = body.Value("icmp eq i64 $0, 0", size);
      const std::string is_never = body.Value("and i1 $0, false", is_zero);
      const std::string dead = body.NewBlock();
      const std::string next = body.NewBlock();
      body.Line("br i1 $0, label %$1, label %$2", is_never, dead, next);
      body.Begin(dead);
      body.Line(OneOf(body.random(), {"call void @llvm.trap()", "call void @llvm.debugtrap()",
                                      "call void @llvm.ubsantrap(i8 1)"}));
      if (OnceIn(body.random(), 2)) body.Line("call void @never() noreturn nounwind");
      body.Line("unreachable");
      body.Begin(next);
      break;
    }
    case 6: {
      const std::string frame = body.Value("call ptr @llvm.frameaddress.p0(i32 0)");
      body.Line("call void @use(ptr $0)", frame);
      break;
    }
    case 7: {
      const std::string caller = body.Value("call ptr @llvm.returnaddress(i32 0)");
      body.Line("call void @use(ptr $0)", caller);
      break;
    }
    case 8: {
      const std::string invariant =
          body.Value("call ptr @llvm.invariant.start.p0(i64 8, ptr @constant)");
      body.Line("call void @llvm.invariant.end.p0(ptr $0, i64 8, ptr @constant)", invariant);
      break;
    }
    case 9: {
      const std::string laundered =
          body.Value("call ptr @llvm.launder.invariant.group.p0(ptr $0)", pointer);
      const std::string stripped =
          body.Value("call ptr @llvm.strip.invariant.group.p0(ptr $0)", laundered);
      body.Line("call void @use(ptr $0)", stripped);
      break;
    }
    case 10: {
      const std::string annotated = body.Value(
          "call ptr @llvm.ptr.annotation.p0.p0(ptr $0, ptr @constant, ptr @constant, i32 1, ptr "
          "null)",
          pointer);
      body.Line(
          "call void @llvm.var.annotation.p0.p0(ptr $0, ptr @constant, ptr @constant, i32 1, ptr "
          "null)",
          annotated);
      break;
    }
    default:
      body.Line("call void @llvm.experimental.noalias.scope.decl(metadata !0)");
  }
}

// A value of an integer type, from two others.
std::string Combine(Body& body, const std::string& type, const std::string& x,
                    const std::string& y) {
  const int bits = BitsOf(type);
  const bool has_whole_bytes = bits >= 16 && bits % 16 == 0;
  switch (body.Below(19)) {
    case 0:
    case 1:
    case 2:
      return body.Value("$0 $1 $2, $3",
                        OneOf(body.random(), {"add", "sub", "mul", "and", "or", "xor"}), type, x,
                        y);
    case 3: {
      const std::string amount = body.Value("and $0 $1, 7", type, y);
      return body.Value("$0 $1 $2, $3", OneOf(body.random(), {"shl", "lshr", "ashr"}), type, x,
                        amount);
    }
    case 4: {
      const std::string divisor = body.Value("or $0 $1, 1", type, y);
      return body.Value("$0 $1 $2, $3", OneOf(body.random(), {"udiv", "urem"}), type, x, divisor);
    }
    case 5: {
      const std::string positive = body.Value("lshr $0 $1, 1", type, y);
      const std::string divisor = body.Value("or $0 $1, 1", type, positive);
      return body.Value("$0 $1 $2, $3", OneOf(body.random(), {"sdiv", "srem"}), type, x, divisor);
    }
    case 6: {
      const std::string is_less =
          body.Value("icmp $0 $1 $2, $3",
                     OneOf(body.random(), {"slt", "ult", "eq", "ne", "sge", "ugt"}), type, x, y);
      const std::string sum = body.Value("add $0 $1, $2", type, x, y);
      return body.Value("select i1 $0, $1 $2, $1 $3", is_less, type, sum, x);
    }
    case 7:
    case 8:
      return body.Intrinsic(OneOf(body.random(), {"smax", "smin", "umax", "umin", "sadd.sat",
                                                  "uadd.sat", "ssub.sat", "usub.sat"}),
                            type, {x, y});
    case 9:
    case 10:
      return body.Intrinsic(OneOf(body.random(), {"fshl", "fshr"}), type, {x, y, y});
    case 11:
      return body.Intrinsic(OneOf(body.random(), {"ctpop", "bitreverse"}), type, {x});
    case 12:
      return body.Intrinsic(OneOf(body.random(), {"ctlz", "cttz", "abs"}), type, {x}, ", i1 false");
    case 13:
      if (!has_whole_bytes) return body.Value("xor $0 $1, 5", type, x);
      return body.Intrinsic("bswap", type, {x});
    case 14:
    case 15: {
      const std::string both =
          body.Value("call { $0, i1 } @llvm.$1.with.overflow.$0($0 $2, $0 $3)", type,
                     OneOf(body.random(), {"sadd", "uadd", "ssub", "usub", "smul", "umul"}), x, y);
      const std::string value = body.Value("extractvalue { $0, i1 } $1, 0", type, both);
      const std::string overflows = body.Value("extractvalue { $0, i1 } $1, 1", type, both);
      return body.Value("select i1 $0, $1 $2, $1 $3", overflows, type, y, value);
    }
    case 16: {
      if (bits >= 64) return body.Value("sub $0 $1, $2", type, y, x);
      const std::string wide =
          body.Value("$0 $1 $2 to i64", OneOf(body.random(), {"sext", "zext"}), type, x);
      const std::string product = body.Value("mul i64 $0, 1000003", wide);
      const std::string high = body.Value("lshr i64 $0, 9", product);
      return body.Value("trunc i64 $0 to $1", high, type);
    }
    case 17: {
      const std::string expected = body.Value("call $0 @llvm.expect.$0($0 $1, $0 3)", type, x);
      return body.Value("add $0 $1, $2", type, expected, y);
    }
    default: {
      const std::string is_known = body.Value("call i1 @llvm.is.constant.$0($0 $1)", type, x);
      const std::string is_never = body.Value("and i1 $0, false", is_known);
      return body.Value("select i1 $0, $1 0, $1 $2", is_never, type, y);
    }
  }
}

// A whole number from any number, below 1,000 and without a sign if it is zero.
std::string Whole(Body& body, const std::string& type, const std::string& x, bool is_exact) {
  const std::string whole = is_exact ? x : body.Intrinsic("trunc", type, {x});
  const std::string size = body.Intrinsic("fabs", type, {whole});
  const std::string is_small = body.Value("fcmp olt $0 $1, 1000.0", type, size);
  const std::string small = body.Value("select i1 $0, $1 $2, $1 3.0", is_small, type, whole);
  const std::string integer = body.Value("fptosi $0 $1 to i32", type, small);
  return body.Value("sitofp i32 $0 to $1", integer, type);
}

// A floating-point number, from two whole ones that are small.
std::string CombineNumbers(Body& body, const std::string& type, const std::string& x,
                           const std::string& y, bool is_exact) {
  const std::string flags = OnceIn(body.random(), 3) ? "contract " : "";
  const std::string integer = OneOf(body.random(), {"i32", "i64"});
  switch (body.Below(is_exact ? 9 : 14)) {
    case 0:
    case 1:
      return body.Value("$0 $1$2 $3, $4", OneOf(body.random(), {"fadd", "fsub", "fmul"}), flags,
                        type, x, y);
    case 2: {
      const std::string product = body.Value("fmul $0$1 $2, $3", flags, type, x, y);
      return body.Value("$0 $1$2 $3, $4", OneOf(body.random(), {"fadd", "fsub"}), flags, type,
                        product, x);
    }
    case 3:
    case 4:
      return body.Intrinsic(OneOf(body.random(), {"fmuladd", "fma"}), type, {x, y, x});
    case 5:
      return body.Intrinsic(OneOf(body.random(), {"minnum", "maxnum", "minimum", "maximum"}), type,
                            {x, y});
    case 6: {
      const std::string size = body.Intrinsic("fabs", type, {x});
      const std::string converted = body.Value(
          "$0 $1 $2 to $3", OneOf(body.random(), {"fptosi", "fptoui"}), type, size, integer);
      const std::string mixed = body.Value("xor $0 $1, 5", integer, converted);
      return body.Value("$0 $1 $2 to $3", OneOf(body.random(), {"sitofp", "uitofp"}), integer,
                        mixed, type);
    }
    case 7: {
      const std::string is_less =
          body.Value("fcmp $0 $1 $2, $3", OneOf(body.random(), {"olt", "ogt", "oeq", "une", "ule"}),
                     type, x, y);
      return body.Value("select i1 $0, $1 $2, $1 $3", is_less, type, y, x);
    }
    case 8:
      return body.Value("fneg $0 $1", type, x);
    case 9: {
      const std::string half = body.Value("fmul $0 $1, 0.375", type, x);
      return body.Intrinsic(
          OneOf(body.random(), {"floor", "ceil", "trunc", "rint", "nearbyint", "round"}), type,
          {half});
    }
    case 10: {
      const std::string half = body.Value("fmul $0 $1, 0.375", type, x);
      const std::string rounded = body.Value(
          "call $0 @llvm.$1.$0.$2($3 $4)", "i64",
          OneOf(body.random(), {"lrint", "llrint", "lround", "llround"}), Suffix(type), type, half);
      return body.Value("sitofp i64 $0 to $1", rounded, type);
    }
    case 11: {
      const std::string size = body.Intrinsic("fabs", type, {y});
      const std::string divisor = body.Value("fadd $0 $1, 1.0", type, size);
      if (OnceIn(body.random(), 2)) return body.Value("fdiv $0 $1, $2", type, x, divisor);
      return body.Intrinsic("sqrt", type, {divisor});
    }
    case 12: {
      const std::string size = body.Intrinsic("fabs", type, {y});
      const std::string positive = body.Value("fadd $0 $1, 1.0", type, size);
      const std::string small = body.Value("fmul $0 $1, 0.015625", type, positive);
      if (OnceIn(body.random(), 5)) return body.Intrinsic("pow", type, {positive, small});
      return body.Intrinsic(
          OneOf(body.random(), {"exp", "exp2", "log", "log2", "log10", "sin", "cos"}), type,
          {small});
    }
    default: {
      const std::string is_special =
          body.Value("call i1 @llvm.is.fpclass.$0($1 $2, i32 $3)", Suffix(type), type, x,
                     OneOf(body.random(), {"3", "60", "96", "516"}));
      const std::string signed_x = body.Intrinsic("copysign", type, {x, y});
      return body.Value("select i1 $0, $1 $2, $1 $3", is_special, type, signed_x, y);
    }
  }
}

// Where the iteration `i` accesses a buffer. There are at most 42 iterations, a third of the
// elements. No index wraps around, as that of `a[i * 3 & 63]` does: LLVM 19 vectorizes that wrongly
// for any CPU (see backend/llvm/masked_strides.h), so there would be nothing to compare with.
std::string Index(Body& body, const std::string& i) {
  switch (body.Below(8)) {
    case 0:
      return body.Value("mul nuw nsw i64 $0, $1", i, 2 + body.Below(2));
    case 1: {
      const std::string last = body.Value("sub nsw i64 %count, $0", i);
      return body.Value("sub nsw i64 $0, 1", last);
    }
    case 2:
      return body.Value("lshr i64 $0, 1", i);
    default:
      return i;
  }
}

std::string Address(Body& body, const std::string& element, const std::string& pointer,
                    const std::string& index) {
  return body.Value("getelementptr $0, ptr $1, i64 $2", element, pointer, index);
}

// A loop over the buffers. `combine` makes the new element of two old ones. `total` is what an
// earlier loop has made, and so is the result.
template <typename Combine>
std::string Loop(Body& body, const std::string& element, const std::string& total,
                 Combine combine) {
  const std::string loop = body.NewBlock();
  const std::string end = body.NewBlock();
  const std::string before = body.block();
  const std::string i = "%i." + loop;
  const std::string sum = "%sum." + loop;
  const bool adds = OnceIn(body.random(), 2);
  body.Line("br label %$0", loop);
  body.Begin(loop);
  // The values of a further iteration are named before they are known.
  body.Line("$0 = phi i64 [ 0, %$1 ], [ $0.next, %$2.latch ]", i, before, loop);
  if (adds)
    body.Line("$0 = phi $1 [ $2, %$3 ], [ $0.next, %$4.latch ]", sum, element, total, before, loop);
  const std::string x =
      body.Value("load $0, ptr $1", element, Address(body, element, "%a", Index(body, i)));
  std::string index = Index(body, i);
  if (OnceIn(body.random(), 5)) {  // An index that is read.
    const std::string byte = body.Value("load i8, ptr $0", Address(body, "i8", "@indices", i));
    index = body.Value("zext i8 $0 to i64", byte);
  }
  const std::string y = body.Value("load $0, ptr $1", element, Address(body, element, "%b", index));
  const std::string z = combine(x, y);
  if (!adds || OnceIn(body.random(), 2)) {
    const std::string place =
        Address(body, element, "%c", OnceIn(body.random(), 3) ? Index(body, i) : i);
    if (OnceIn(body.random(), 3)) {  // Only in some iterations.
      const std::string old = body.Value("load $0, ptr $1", element, place);
      const bool is_number = IsNumber(element);
      const std::string is_less =
          body.Value("$0 $1 $2, $3", is_number ? "fcmp olt" : "icmp slt", element, old, x);
      const std::string then = body.NewBlock();
      const std::string next = body.NewBlock();
      body.Line("br i1 $0, label %$1, label %$2", is_less, then, next);
      body.Begin(then);
      body.Line("store $0 $1, ptr $2", element, z, place);
      body.Jump(next);
    } else {
      body.Line("store $0 $1, ptr $2", element, z, place);
    }
  }
  body.Jump(loop + ".latch");
  if (adds) {
    if (IsNumber(element)) {
      const std::string new_sum = body.Value("fadd $0 $1, $2", element, sum, z);
      const std::string size = body.Intrinsic("fabs", element, {new_sum});
      const std::string is_small = body.Value("fcmp olt $0 $1, 100000.0", element, size);
      body.Line("$0.next = select i1 $1, $2 $3, $2 1.0", sum, is_small, element, new_sum);
    } else {
      body.Line("$0.next = $1 $2 $0, $3", sum,
                OneOf(body.random(), {"add", "xor", "or", "and", "mul"}), element, z);
    }
  }
  body.Line("$0.next = add nuw nsw i64 $0, 1", i);
  const std::string more = body.Value("icmp ult i64 $0.next, %count", i);
  body.Line("br i1 $0, label %$1, label %$2", more, loop, end);
  body.Begin(end);
  if (!adds) return total;
  return body.Value("phi $0 [ $1.next, %$2.latch ]", element, sum, loop);
}

void BeginLoops(Body& body) {
  body.Line("%few = urem i32 %n, 59");
  body.Line("%most = add nuw nsw i32 %few, 1");
  body.Line("%wide = zext i32 %most to i64");
  body.Line("%count = call i64 @llvm.umin.i64(i64 %wide, i64 $0)", 42);
}

// Vectors as such.
std::string Vectors(Body& body, const std::string& element, const std::string& total) {
  const int bytes = BitsOf(element) / 8;
  int lanes = 2 << body.Below(5);
  if (OnceIn(body.random(), 6)) lanes = 3;
  while (lanes * bytes > 128) lanes /= 2;
  const std::string vector = absl::StrCat("<", lanes, " x ", element, ">");
  const std::string x = body.Value("load $0, ptr %a, align 8", vector);
  const std::string y = body.Value("load $0, ptr %b, align 8", vector);
  std::string mask;
  for (int i = 0; i < lanes; ++i)
    absl::StrAppend(&mask, i == 0 ? "" : ", ", "i32 ", body.Below(2 * lanes));
  const std::string shuffled =
      body.Value("shufflevector $0 $1, $0 $2, <$3 x i32> <$4>", vector, x, y, lanes, mask);
  const bool is_number = IsNumber(element);
  const std::string name = absl::StrCat("v", lanes, Suffix(element));
  if (is_number) {
    body.Line("store $0 $1, ptr %c, align 8", vector, shuffled);
    const std::string is_less = body.Value("fcmp olt $0 $1, $2", vector, x, y);
    const std::string ones = body.Value("uitofp <$0 x i1> $1 to $2", lanes, is_less, vector);
    const char* const operation = OneOf(body.random(), {"fadd", "fmul"});
    const std::string reduced =
        body.Value("call $0 @llvm.vector.reduce.$1.$2($0 $3, $4 $5)", element, operation, name,
                   operation[1] == 'a' ? "0.0" : "1.0", vector, ones);
    return body.Value("fadd $0 $1, $2", element, total, reduced);
  }
  const std::string sum = body.Value(
      "$0 $1 $2, $3", OneOf(body.random(), {"add", "sub", "mul", "xor"}), vector, shuffled, y);
  const std::string is_less =
      body.Value("icmp $0 $1 $2, $3", OneOf(body.random(), {"slt", "ult", "eq"}), vector, x, y);
  const std::string chosen =
      body.Value("select <$0 x i1> $1, $2 $3, $2 $4", lanes, is_less, vector, sum, x);
  body.Line("store $0 $1, ptr %c, align 8", vector, chosen);
  const std::string reduced = body.Value(
      "call $0 @llvm.vector.reduce.$1.$2($3 $4)", element,
      OneOf(body.random(), {"add", "and", "mul", "or", "smax", "smin", "umax", "umin", "xor"}),
      name, vector, chosen);
  return body.Value("xor $0 $1, $2", element, total, reduced);
}

// Copies, and a part of the stack.
void Memory(Body& body) {
  const unsigned bytes = 1 + body.Below(600);
  switch (body.Below(6)) {
    case 0:
      body.Line(
          "call void @llvm.memcpy.p0.p0.i64(ptr align 8 %c, ptr align 8 %a, i64 $0, i1 false)",
          bytes);
      break;
    case 1:
      body.Line("call void @llvm.memcpy.inline.p0.p0.i64(ptr %c, ptr %a, i64 $0, i1 false)",
                bytes % 100);
      break;
    case 2: {
      const std::string later = body.Value("getelementptr i8, ptr %c, i64 $0", 8 * body.Below(40));
      body.Line(
          "call void @llvm.memmove.p0.p0.i64(ptr align 8 $0, ptr align 8 %c, i64 $1, i1 false)",
          later, bytes);
      break;
    }
    case 3:
      body.Line("call void @llvm.memset.p0.i64(ptr align 8 %c, i8 0, i64 $0, i1 false)", bytes);
      break;
    default: {
      const std::string top = body.Value("call ptr @llvm.stacksave.p0()");
      const std::string size = body.Value("mul nuw nsw i64 %count, 24");
      const std::string room = body.Value("alloca i8, i64 $0, align $1", size, 8 << body.Below(4));
      body.Line("call void @llvm.memcpy.p0.p0.i64(ptr $0, ptr %b, i64 $1, i1 false)", room, size);
      body.Line("call void @use(ptr $0)", room);
      body.Line("call void @llvm.memcpy.p0.p0.i64(ptr %c, ptr $0, i64 $1, i1 false)", room, size);
      body.Line("call void @llvm.stackrestore.p0(ptr $0)", top);
    }
  }
}

// Pointers of 32 bits, each beside an integer: LLVM 19 vectorizes that for few CPUs only. Where
// pointers of 32 bits are vectors, as they are without the integers, it generates code for none.
void ShortPointers(Body& body) {
  const std::string loop = body.NewBlock();
  const std::string end = body.NewBlock();
  const std::string before = body.block();
  const std::string i = "%i." + loop;
  const std::string space = absl::StrCat("addrspace(", 270 + body.Below(2), ")");
  const std::string first = body.Value("addrspacecast ptr %c to ptr $0", space);
  const std::string base = body.Value("ptrtoint ptr $0 $1 to i32", space, first);
  body.Line("br label %$0", loop);
  body.Begin(loop);
  body.Line("$0 = phi i64 [ 0, %$1 ], [ $0.next, %$2 ]", i, before, loop);
  body.Line("$0.next = add nuw nsw i64 $0, 1", i);
  const std::string number = body.Value("trunc i64 $0 to i32", i);
  const std::string place = Address(body, "i64", "@short_pointers", i);
  body.Line("store i32 $0, ptr $1, align 8", number, place);
  const std::string to = Address(body, "i64", "%c", i + ".next");
  const std::string pointer = body.Value("addrspacecast ptr $0 to ptr $1", to, space);
  body.Line("store ptr $0 $1, ptr $2", space, pointer, Address(body, "i32", place, "1"));
  const std::string more = body.Value("icmp ult i64 $0.next, %count", i);
  body.Line("br i1 $0, label %$1, label %$2", more, loop, end);
  body.Begin(end);
  // Where it points does not matter.
  const std::string last = body.Value("sub nuw nsw i64 %count, 1");
  const std::string last_place = Address(body, "i64", "@short_pointers", last);
  const std::string high = Address(body, "i32", last_place, "1");
  const std::string stored = body.Value("load i32, ptr $0", high);
  const std::string distance = body.Value("sub i32 $0, $1", stored, base);
  body.Line("store i32 $0, ptr %c", distance);
}

}  // namespace

std::string IntegerLoopBody(const std::string& element, const std::vector<ScalarFunction>& callees,
                            Random& random) {
  Body body(random);
  BeginLoops(body);
  std::string total = "%x";
  const unsigned parts = 1 + body.Below(3);
  for (unsigned part = 0; part < parts; ++part) {
    if (OnceIn(random, 3)) AddHints(body, OneOf(random, {"%a", "%b", "%c"}));
    if (OnceIn(random, 4)) {
      total = Vectors(body, element, total);
      continue;
    }
    if (OnceIn(random, 6)) Memory(body);
    if (!llvm_version::kVectorizesShortPointers && OnceIn(random, 12)) {
      ShortPointers(body);
      continue;
    }
    const unsigned steps = 1 + body.Below(4);
    const bool calls = !callees.empty() && OnceIn(random, 4);
    total = Loop(body, element, total, [&](const std::string& x, const std::string& y) {
      std::string z = Combine(body, element, x, y);
      for (unsigned step = 1; step < steps; ++step) {
        z = Combine(body, element, z, OnceIn(random, 2) ? "%x" : y);
      }
      if (!calls || element != "i64") return z;
      const ScalarFunction& callee = callees[body.Below(callees.size())];
      return body.Value("$0call $1 $2(i64 $3, i64 $4)$5", OneOf(random, {"", "tail "}),
                        callee.before_name, callee.name, z, y, CallAttributes(random));
    });
  }
  body.Line("ret $0 $1", element, total);
  return body.text();
}

std::string NumberLoopBody(const std::string& element, bool is_exact, Random& random) {
  Body body(random);
  BeginLoops(body);
  std::string total = "%x";
  const unsigned parts = 1 + body.Below(3);
  for (unsigned part = 0; part < parts; ++part) {
    if (OnceIn(random, 4)) AddHints(body, OneOf(random, {"%a", "%b", "%c"}));
    if (OnceIn(random, 5)) {
      total = Vectors(body, element, total);
      continue;
    }
    total = Loop(body, element, total, [&](const std::string& x, const std::string& y) {
      std::string z = Whole(body, element, CombineNumbers(body, element, x, y, is_exact), is_exact);
      if (OnceIn(random, 2)) {
        z = Whole(body, element, CombineNumbers(body, element, z, y, is_exact), is_exact);
      }
      return z;
    });
  }
  body.Line("ret $0 $1", element, Whole(body, element, total, is_exact));
  return body.text();
}

std::string ScalarBody(const std::vector<ScalarFunction>& callees, Random& random) {
  Body body(random);
  std::string x = "%x";
  std::string y = "%y";
  const unsigned steps = 2 + body.Below(8);
  for (unsigned step = 0; step < steps; ++step) {
    std::string z;
    switch (body.Below(8)) {
      case 0: {  // Integers of another size.
        const std::string type = OneOf(random, {"i128", "i33", "i96", "i24", "i16", "i8"});
        const bool is_wide = BitsOf(type) > 64;
        const std::string convert = is_wide ? OneOf(random, {"sext", "zext"}) : "trunc";
        const std::string other_x = body.Value("$0 i64 $1 to $2", convert, x, type);
        const std::string other_y = body.Value("$0 i64 $1 to $2", convert, y, type);
        const std::string product = body.Value("$0 $1 $2, $3", OneOf(random, {"mul", "add", "sub"}),
                                               type, other_x, other_y);
        const std::string shifted = body.Value("lshr $0 $1, 3", type, product);
        z = body.Value("$0 $1 $2 to i64", is_wide ? "trunc" : "zext", type, shifted);
        break;
      }
      case 1: {  // Long double.
        const std::string low = body.Value("and i64 $0, 1048575", x);
        const std::string number = body.Value("uitofp i64 $0 to x86_fp80", low);
        const std::string square = body.Value("fmul x86_fp80 $0, $0", number);
        z = body.Value("fptosi x86_fp80 $0 to i64", square);
        break;
      }
      case 2: {  // A jump table, unless there must be none.
        const std::string low = body.Value("and i64 $0, 7", x);
        std::vector<std::string> blocks;
        const std::string end = body.NewBlock();
        std::string cases;
        for (int i = 0; i < 8; ++i) {
          blocks.push_back(body.NewBlock());
          absl::StrAppend(&cases, " i64 ", i, ", label %", blocks.back());
        }
        body.Line("switch i64 $0, label %$1 [$2 ]", low, blocks[0], cases);
        std::string values;
        for (int i = 0; i < 8; ++i) {
          body.Begin(blocks[i]);
          const std::string value = body.Value(
              "$0 i64 $1, $2", OneOf(random, {"add", "xor", "mul"}), y, body.Below(1000) + 1);
          body.Line("br label %$0", end);
          absl::StrAppend(&values, i == 0 ? "" : ", ", "[ ", value, ", %", blocks[i], " ]");
        }
        body.Begin(end);
        z = body.Value("phi i64 $0", values);
        break;
      }
      case 3:
        if (!callees.empty()) {
          const ScalarFunction& callee = callees[body.Below(callees.size())];
          z = body.Value("call $0 $1(i64 $2, i64 $3)$4", callee.before_name, callee.name, x, y,
                         CallAttributes(random));
          break;
        }
        [[fallthrough]];
      default:
        z = Combine(body, "i64", x, y);
    }
    if (OnceIn(random, 2)) std::swap(x, y);
    x = z;
  }
  body.Line("ret i64 $0", x);
  return body.text();
}

}  // namespace firstcall::testing
