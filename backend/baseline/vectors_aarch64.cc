#include "backend/baseline/vectors_aarch64.h"

#include <cstdint>

#include "backend/baseline/lanes.h"
#include "backend/baseline/operands.h"

namespace firstcall::baseline::aarch64 {

using ir::Predicate;

void VectorsAArch64::SplitVector(Register low, Register high, Register vector) {
  native_.FromVector(8, low, vector);
  native_.FromLane(8, 1, high, vector);
}

void VectorsAArch64::JoinVector(Register vector, Register low, Register high) {
  native_.ToVector(8, vector, low);
  native_.ToLane(8, 1, vector, high);
}

// Each lane keeps the bit of its number; their sum has all of them. What is behind the last lane
// keeps none.
Register VectorsAArch64::MaskBits(FunctionCode& code, ir::Operand vector) {
  const unsigned lane_bits = LaneBits(TypeOf(code, vector));
  const unsigned count = 128 / lane_bits;
  ConstantPart bits_of_lanes;
  for (unsigned lane = 0; lane < LaneCount(TypeOf(code, vector)); ++lane) {
    uint64_t& half = lane < count / 2 ? bits_of_lanes.low : bits_of_lanes.high;
    half |= uint64_t{1} << (lane % (count / 2) * lane_bits + lane % 8);
  }
  const Register mask = In(code, vector);
  const Register bits = code.locations.Temporary(false);
  MaterializeBits(code, kVectorScratch, bits_of_lanes, 16);
  native_.LanesRr(LaneOp::kAnd, lane_bits / 8, kVectorScratch, mask);
  switch (count) {
    case 2:
      native_.AddPairs(8, kVectorScratch, kVectorScratch, kVectorScratch);
      break;
    case 4:
    case 8:
      native_.AddAcross(lane_bits / 8, kVectorScratch, kVectorScratch);
      break;
    default:
      // The sums of each half of the bytes remain in the two lowest.
      for (unsigned left = 8; left != 1; left /= 2) {
        native_.AddPairs(1, kVectorScratch, kVectorScratch, kVectorScratch);
      }
      native_.FromLane(2, 0, bits, kVectorScratch);
      return bits;
  }
  native_.FromVector(4, bits, kVectorScratch);
  return bits;
}

void VectorsAArch64::LowerVectorFloatCompare(FunctionCode& code, const ir::Instruction& compare) {
  const ir::Type* type = TypeAt(code, compare, 0);
  const bool is_double = type->scalar()->IsDouble();
  const Register a = In(code, OperandAt(code, compare, 0)),
                 b = In(code, OperandAt(code, compare, 1));
  const Register dst = Define(code, compare);
  CompareFloatLanes(compare.predicate(), is_double, dst, a, b);
  // Of one float, or two, whose masks are as wide as two lanes.
  if (!is_double && LaneCount(type) <= 2) native_.InterleaveLow(4, dst, dst, dst);
}

// Whatever is not ordered fails the test, so that the tests that hold for such are others'
// negation.
void VectorsAArch64::CompareFloatLanes(Predicate predicate, bool is_double, Register dst,
                                       Register a, Register b) {
  const bool is_negated = ir::HoldsIfUnordered(predicate) || predicate == Predicate::kTrue;
  if (is_negated) predicate = ir::InverseOfFloats(predicate);
  switch (predicate) {
    case Predicate::kOeq:
      native_.VectorFloatCompare(FloatTest::kEqual, is_double, dst, a, b);
      break;
    case Predicate::kOgt:
      native_.VectorFloatCompare(FloatTest::kGreater, is_double, dst, a, b);
      break;
    case Predicate::kOge:
      native_.VectorFloatCompare(FloatTest::kGreaterEqual, is_double, dst, a, b);
      break;
    case Predicate::kOlt:
      native_.VectorFloatCompare(FloatTest::kGreater, is_double, dst, b, a);
      break;
    case Predicate::kOle:
      native_.VectorFloatCompare(FloatTest::kGreaterEqual, is_double, dst, b, a);
      break;
    case Predicate::kOne:
      native_.VectorFloatCompare(FloatTest::kGreater, is_double, kVectorScratch, a, b);
      native_.VectorFloatCompare(FloatTest::kGreater, is_double, dst, b, a);
      native_.LanesRr(LaneOp::kOr, 8, dst, kVectorScratch);
      break;
    case Predicate::kOrd:
      native_.VectorFloatCompare(FloatTest::kEqual, is_double, kVectorScratch, a, a);
      native_.VectorFloatCompare(FloatTest::kEqual, is_double, dst, b, b);
      native_.LanesRr(LaneOp::kAnd, 8, dst, kVectorScratch);
      break;
    default:
      native_.VectorZero(dst);
      break;
  }
  if (is_negated) native_.VectorNot(dst, dst);
}

}  // namespace firstcall::baseline::aarch64
