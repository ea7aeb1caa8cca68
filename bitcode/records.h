// The numbers of LLVM bitcode: of blocks, of records in them, and of what records encode.
//
// They are facts of the file format (LLVM's documentation "LLVM Bitcode File Format", and
// llvm/Bitcode/LLVMBitCodes.h). Records that only producers before LLVM 15 wrote have no name here,
// but where readers tell them from those of the future.

#ifndef FIRSTCALL_BITCODE_RECORDS_H_
#define FIRSTCALL_BITCODE_RECORDS_H_

#include <cstdint>

namespace firstcall::bitcode {

// The first four bytes, as a little-endian number: of a bitstream of LLVM IR ("BC", 0xC0DE), and of
// a header that says where in the file the bitstream is.
inline constexpr uint32_t kMagic = 0xdec04342;
inline constexpr uint32_t kWrapperMagic = 0x0b17c0de;

// Numbers of abbreviations that all blocks have.
enum AbbreviationId : uint32_t {
  kEndBlockId = 0,
  kEnterSubBlockId = 1,
  kDefineAbbreviationId = 2,
  kUnabbreviatedId = 3,
  kFirstAbbreviationId = 4,
};

// How DEFINE_ABBREV codes a field.
enum FieldEncoding : uint32_t {
  kEncodingFixed = 1,
  kEncodingVbr = 2,
  kEncodingArray = 3,
  kEncodingChar6 = 4,
  kEncodingBlob = 5,
};

enum BlockId : uint32_t {
  kBlockInfoBlock = 0,
  kModuleBlock = 8,
  kAttributeBlock = 9,
  kAttributeGroupBlock = 10,
  kConstantsBlock = 11,
  kFunctionBlock = 12,
  kIdentificationBlock = 13,
  kValueSymbolTableBlock = 14,
  kMetadataBlock = 15,
  kMetadataAttachmentBlock = 16,
  kTypeBlock = 17,
  kUseListBlock = 18,
  kModuleStringTableBlock = 19,
  kGlobalSummaryBlock = 20,
  kOperandBundleTagsBlock = 21,
  kMetadataKindBlock = 22,
  kStringTableBlock = 23,
  kFullLtoSummaryBlock = 24,
  kSymbolTableBlock = 25,
  kSyncScopeNamesBlock = 26,
};

enum BlockInfoCode : uint32_t { kBlockInfoSetBlock = 1 };

enum IdentificationCode : uint32_t {
  kIdentificationString = 1,
  kIdentificationEpoch = 2,
};

enum StringTableCode : uint32_t { kStringTableBlob = 1 };

enum ModuleCode : uint32_t {
  kModuleVersion = 1,
  kModuleTriple = 2,
  kModuleDataLayout = 3,
  kModuleAssembly = 4,
  kModuleSectionName = 5,
  kModuleDependentLibrary = 6,
  kModuleVariable = 7,
  kModuleFunction = 8,
  kModuleOldAlias = 9,
  kModuleCollectorName = 11,
  kModuleComdat = 12,
  kModuleSymbolTableOffset = 13,
  kModuleAlias = 14,
  kModuleUnusedMetadataValues = 15,
  kModuleSourceFileName = 16,
  kModuleHash = 17,
  kModuleIfunc = 18,
};

enum AttributeCode : uint32_t {
  kAttributeOldEntry = 1,
  kAttributeEntry = 2,
  kAttributeGroupEntry = 3,
};

// What an attribute in a group is.
enum AttributeForm : uint32_t {
  kAttributePlain = 0,           // [kind]
  kAttributeNumber = 1,          // [kind, number]
  kAttributeString = 3,          // [characters, 0]
  kAttributeStringAndValue = 4,  // [characters, 0, characters, 0]
  kAttributeNoType = 5,          // [kind]
  kAttributeType = 6,            // [kind, type]
  kAttributeRange = 7,           // [kind, range]
  kAttributeRanges = 8,          // [kind, count, width, ranges]
};

enum TypeCode : uint32_t {
  kTypeCount = 1,
  kTypeVoid = 2,
  kTypeFloat = 3,
  kTypeDouble = 4,
  kTypeLabel = 5,
  kTypeOpaqueStruct = 6,
  kTypeInteger = 7,
  kTypeTypedPointer = 8,
  kTypeOldFunction = 9,
  kTypeHalf = 10,
  kTypeArray = 11,
  kTypeVector = 12,
  kTypeX86Fp80 = 13,
  kTypeFp128 = 14,
  kTypePpcFp128 = 15,
  kTypeMetadata = 16,
  kTypeX86Mmx = 17,
  kTypeLiteralStruct = 18,
  kTypeStructName = 19,
  kTypeNamedStruct = 20,
  kTypeFunction = 21,
  kTypeToken = 22,
  kTypeBFloat = 23,
  kTypeX86Amx = 24,
  kTypePointer = 25,
  kTypeTargetExtension = 26,
};

enum OperandBundleTagCode : uint32_t { kOperandBundleTag = 1 };
enum SyncScopeCode : uint32_t { kSyncScopeName = 1 };

enum MetadataCode : uint32_t {
  kMetadataOldString = 1,
  kMetadataValue = 2,
  kMetadataNode = 3,
  kMetadataName = 4,
  kMetadataDistinctNode = 5,
  kMetadataKind = 6,
  kMetadataOldNode = 8,
  kMetadataOldFunctionNode = 9,
  kMetadataNamedNode = 10,
  kMetadataAttachment = 11,
  kMetadataStrings = 35,
  kMetadataGlobalAttachment = 36,
  kMetadataIndexOffset = 38,
  kMetadataIndex = 39,
  kMetadataLastKnown = 50,  // Those from 12 on that have no name here each define one node.
};

enum ConstantCode : uint32_t {
  kConstantSetType = 1,
  kConstantNull = 2,
  kConstantUndef = 3,
  kConstantInteger = 4,
  kConstantWideInteger = 5,
  kConstantFloat = 6,
  kConstantAggregate = 7,
  kConstantString = 8,
  kConstantCString = 9,
  kConstantBinary = 10,
  kConstantCast = 11,
  kConstantOldGep = 12,  // Written until LLVM 18.
  kConstantSelect = 13,
  kConstantExtractElement = 14,
  kConstantInsertElement = 15,
  kConstantShuffleVector = 16,
  kConstantCompare = 17,
  kConstantOldAssembly = 18,
  kConstantLongShuffleVector = 19,
  kConstantOldInboundsGep = 20,  // Written until LLVM 18.
  kConstantBlockAddress = 21,
  kConstantData = 22,
  kConstantOldAssembly2 = 23,
  kConstantOldGepWithRangeIndex = 24,  // Written until LLVM 18.
  kConstantUnary = 25,
  kConstantPoison = 26,
  kConstantDsoLocalEquivalent = 27,
  kConstantOldAssembly3 = 28,
  kConstantNoCfi = 29,
  kConstantAssembly = 30,
  kConstantGepWithRange = 31,
  kConstantGep = 32,
  kConstantSignedPointer = 33,
  kConstantSignedPointer2 = 34,
};

// Casts, of constants and of instructions. The operation of kCastTrunc is ir::Opcode::kTrunc, and
// so on in the same order.
enum CastCode : uint32_t {
  kCastTrunc = 0,
  kCastAddrSpaceCast = 12,
};

// Integers; some of them mean the operation on floating-point numbers if the type is one.
enum BinaryCode : uint32_t {
  kBinaryAdd = 0,
  kBinarySub = 1,
  kBinaryMul = 2,
  kBinaryUDiv = 3,
  kBinarySDiv = 4,
  kBinaryURem = 5,
  kBinarySRem = 6,
  kBinaryShl = 7,
  kBinaryLShr = 8,
  kBinaryAShr = 9,
  kBinaryAnd = 10,
  kBinaryOr = 11,
  kBinaryXor = 12,
};

enum UnaryCode : uint32_t { kUnaryFNeg = 0 };

enum FunctionCode : uint32_t {
  kFunctionDeclareBlocks = 1,
  kFunctionBinary = 2,
  kFunctionCast = 3,
  kFunctionOldGep = 4,
  kFunctionSelect = 5,
  kFunctionExtractElement = 6,
  kFunctionInsertElement = 7,
  kFunctionShuffleVector = 8,
  kFunctionCompare = 9,
  kFunctionRet = 10,
  kFunctionBr = 11,
  kFunctionSwitch = 12,
  kFunctionInvoke = 13,
  kFunctionUnreachable = 15,
  kFunctionPhi = 16,
  kFunctionAlloca = 19,
  kFunctionLoad = 20,
  kFunctionVAArg = 23,
  kFunctionOldStore = 24,
  kFunctionExtractValue = 26,
  kFunctionInsertValue = 27,
  kFunctionCompare2 = 28,
  kFunctionVectorSelect = 29,
  kFunctionOldInboundsGep = 30,
  kFunctionIndirectBr = 31,
  kFunctionDebugLocationAgain = 33,
  kFunctionCall = 34,
  kFunctionDebugLocation = 35,
  kFunctionFence = 36,
  kFunctionOldCmpXchg = 37,
  kFunctionOldAtomicRmw = 38,
  kFunctionResume = 39,
  kFunctionOldLandingPad = 40,
  kFunctionLoadAtomic = 41,
  kFunctionOldStoreAtomic = 42,
  kFunctionGep = 43,
  kFunctionStore = 44,
  kFunctionStoreAtomic = 45,
  kFunctionCmpXchg = 46,
  kFunctionLandingPad = 47,
  kFunctionCleanupRet = 48,
  kFunctionCatchRet = 49,
  kFunctionCatchPad = 50,
  kFunctionCleanupPad = 51,
  kFunctionCatchSwitch = 52,
  kFunctionOperandBundle = 55,
  kFunctionUnary = 56,
  kFunctionCallBr = 57,
  kFunctionFreeze = 58,
  kFunctionAtomicRmw = 59,
  kFunctionBlockAddressUsers = 60,
  kFunctionDebugRecordValue = 61,
  kFunctionDebugRecordDeclare = 62,
  kFunctionDebugRecordAssign = 63,
  kFunctionDebugRecordValueSimple = 64,
  kFunctionDebugRecordLabel = 65,
};

// The attributes' numbers are in attribute_kinds.cc.

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_RECORDS_H_
