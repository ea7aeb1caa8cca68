// The bytes of a relocatable object file. Tested in tests/code/elf_object_test.cc.

#ifndef FIRSTCALL_CODE_OBJECT_BYTES_H_
#define FIRSTCALL_CODE_OBJECT_BYTES_H_

#include "base/byte_buffer.h"

namespace firstcall {

using ObjectBytes = ByteBuffer;

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_OBJECT_BYTES_H_
