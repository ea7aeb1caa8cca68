// What libreplaces.so offers besides what it replaces.

#ifndef FIRSTCALL_TESTS_PROGRAMS_LIBRARY_REPLACES_H_
#define FIRSTCALL_TESTS_PROGRAMS_LIBRARY_REPLACES_H_

#include <string>

// How many blocks of the library's operator new there are.
int LiveBlocks();

// What the library's own call of rand returns.
int Draw();

std::string Repeat(const std::string& text, int count);

#endif  // FIRSTCALL_TESTS_PROGRAMS_LIBRARY_REPLACES_H_
