// What the object file of the program's test defines, and what a member of the archive does.
#pragma once

const char* PluginName();
int Member();
int CountArguments();
const char* LastArgumentButOne();
