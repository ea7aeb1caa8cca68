// The bytes of a relocatable object file. Tested in tests/object/elf_object_test.cc.

#ifndef FIRSTCALL_OBJECT_OBJECT_BYTES_H_
#define FIRSTCALL_OBJECT_OBJECT_BYTES_H_

#include "base/byte_buffer.h"

namespace firstcall {

using ObjectBytes = ByteBuffer;

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_OBJECT_BYTES_H_
