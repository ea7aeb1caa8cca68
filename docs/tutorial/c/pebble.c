#include "docs/tutorial/c/pebble.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxFunctions = 256, kMaxVariables = 64, kMaxArguments = 8, kMaxName = 32 };

typedef char Name[kMaxName];

/* Text that grows. */
typedef struct Text {
  char* begin;
  size_t size;
} Text;

/* A value of IR: a constant or a name, as it is written. */
typedef struct Value {
  char text[kMaxName + 8];
} Value;

typedef struct Function {
  Name name;
  int parameters; /* -1: not known yet. */
  int is_defined;
  int line; /* Of its definition or first call. */
} Function;

typedef struct Compiler {
  const char* next;
  int line;
  Name token; /* Empty at the end. */
  int token_line;
  char* error;
  size_t error_size;
  int has_failed;
  Function functions[kMaxFunctions];
  int function_count;
  /* Of the function that is read. Memory for variables is made in its first block, `frame`. */
  Name variables[kMaxVariables];
  int variable_count;
  int value_count; /* Names that were given to values and blocks. */
  Text frame, body;
  Text module, metadata;
  int with_debug;
  int metadata_count; /* Numbers that were given to metadata. */
  int scope;          /* Of the function, among them. */
  char location[24];  /* What instructions end in: ", !dbg !7", or nothing. */
} Compiler;

static void Append(Text* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int size = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char* const begin = realloc(text->begin, text->size + (size_t)size + 1);
  if (begin == NULL) abort();
  va_start(arguments, format);
  vsnprintf(begin + text->size, (size_t)size + 1, format, arguments);
  va_end(arguments);
  text->begin = begin;
  text->size += (size_t)size;
}

/* ---- Words ---- */

/* Keeps the first error, and goes to the end of the program, which ends all loops. */
static void Fail(Compiler* c, int line, const char* format, ...) {
  if (!c->has_failed) {
    const int size = snprintf(c->error, c->error_size, "line %d: ", line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->error + size, c->error_size - (size_t)size, format, arguments);
    va_end(arguments);
  }
  c->has_failed = 1;
  c->next = "";
  c->token[0] = '\0';
}

static int IsNamePart(char character) {
  return isalnum((unsigned char)character) || character == '_';
}

static void Next(Compiler* c) {
  for (int in_comment = 0; *c->next != '\0'; ++c->next) {
    in_comment = *c->next != '\n' && (in_comment || *c->next == '#');
    if (!in_comment && !isspace((unsigned char)*c->next)) break;
    if (*c->next == '\n') ++c->line;
  }
  c->token_line = c->line;
  size_t size = 0;
  if (IsNamePart(*c->next)) {
    const int is_number = isdigit((unsigned char)*c->next);
    while (IsNamePart(c->next[size]) || (is_number && c->next[size] == '.')) ++size;
  } else if (*c->next != '\0') {
    size = strchr("=!<>", *c->next) != NULL && c->next[1] == '=' ? 2 : 1;
  }
  if (size >= kMaxName) {
    Fail(c, c->line, "a name is too long");
    return;
  }
  memcpy(c->token, c->next, size);
  c->token[size] = '\0';
  c->next += size;
}

static int Take(Compiler* c, const char* token) {
  if (strcmp(c->token, token) != 0) return 0;
  Next(c);
  return 1;
}

static void FailAtToken(Compiler* c, const char* expected) {
  Name token;
  strcpy(token, c->token);
  if (token[0] == '\0') {
    Fail(c, c->token_line, "expected %s but found the end", expected);
  } else {
    Fail(c, c->token_line, "expected %s but found '%s'", expected, token);
  }
}

static void Expect(Compiler* c, const char* token) {
  char quoted[8];
  snprintf(quoted, sizeof(quoted), "'%s'", token);
  if (!Take(c, token)) FailAtToken(c, quoted);
}

static void TakeName(Compiler* c, Name name) {
  if (!IsNamePart(c->token[0]) || isdigit((unsigned char)c->token[0])) FailAtToken(c, "a name");
  strcpy(name, c->token);
  Next(c);
}

/* ---- Instructions ---- */

static Value NewName(Compiler* c) {
  Value value;
  snprintf(value.text, sizeof(value.text), "%%v.%d", c->value_count++);
  return value;
}

static Value Number(double number) {
  uint64_t bits;
  Value value;
  memcpy(&bits, &number, sizeof(bits));
  snprintf(value.text, sizeof(value.text), "0x%016llX", (unsigned long long)bits);
  return value;
}

static int NewBlock(Compiler* c) { return c->value_count++; }

static void Begin(Compiler* c, int block) { Append(&c->body, "b.%d:\n", block); }

static void Jump(Compiler* c, int block) {
  Append(&c->body, "  br label %%b.%d%s\n", block, c->location);
}

/* Writes "LEFT = operation operands", where the format has the part behind the equals sign. */
static Value Instruction(Compiler* c, const char* operation, const char* type, Value left,
                         Value right) {
  const Value value = NewName(c);
  Append(&c->body, "  %s = %s %s %s, %s%s\n", value.text, operation, type, left.text, right.text,
         c->location);
  return value;
}

static void SetLine(Compiler* c, int line) {
  if (!c->with_debug) return;
  const int number = c->metadata_count++;
  Append(&c->metadata, "!%d = !DILocation(line: %d, scope: !%d)\n", number, line, c->scope);
  snprintf(c->location, sizeof(c->location), ", !dbg !%d", number);
}

/* ---- Names ---- */

static Function* FindFunction(Compiler* c, const char* name, int line) {
  for (int i = 0; i < c->function_count; ++i) {
    if (strcmp(c->functions[i].name, name) == 0) return &c->functions[i];
  }
  if (c->function_count == kMaxFunctions) {
    Fail(c, line, "too many functions");
    return &c->functions[0];
  }
  Function* const function = &c->functions[c->function_count++];
  strcpy(function->name, name);
  function->parameters = -1;
  function->is_defined = 0;
  function->line = line;
  return function;
}

static int HasVariable(const Compiler* c, const char* name) {
  for (int i = 0; i < c->variable_count; ++i) {
    if (strcmp(c->variables[i], name) == 0) return 1;
  }
  return 0;
}

/* `parameter` counts from 1; 0 is a local variable. */
static void NewVariable(Compiler* c, const char* name, int line, int parameter) {
  if (HasVariable(c, name)) Fail(c, line, "'%s' is defined twice", name);
  if (c->variable_count == kMaxVariables) Fail(c, line, "too many variables");
  if (c->has_failed) return;
  strcpy(c->variables[c->variable_count++], name);
  Append(&c->frame, "  %%\"%s\" = alloca double\n", name);
  if (!c->with_debug) return;
  Append(&c->metadata,
         "!%d = !DILocalVariable(name: \"%s\", scope: !%d, file: !2, line: %d, type: !3",
         c->metadata_count, name, c->scope, line);
  if (parameter > 0) Append(&c->metadata, ", arg: %d", parameter);
  Append(&c->metadata, ")\n");
  Append(&c->body,
         "  call void @llvm.dbg.declare(metadata ptr %%\"%s\", metadata !%d, metadata "
         "!DIExpression())%s\n",
         name, c->metadata_count++, c->location);
}

static void Store(Compiler* c, const char* name, Value value) {
  Append(&c->body, "  store double %s, ptr %%\"%s\"%s\n", value.text, name, c->location);
}

/* ---- Expressions ---- */

static Value ReadOperation(Compiler* c, int level);

static Value ReadCall(Compiler* c, const char* name, int line) {
  Value arguments[kMaxArguments];
  int count = 0;
  while (!c->has_failed && !Take(c, ")")) {
    if (count > 0) Expect(c, ",");
    if (count == kMaxArguments) {
      Fail(c, line, "too many arguments");
      break;
    }
    arguments[count++] = ReadOperation(c, 0);
  }
  Function* const callee = FindFunction(c, name, line);
  if (callee->parameters < 0) callee->parameters = count;
  if (callee->parameters != count) {
    Fail(c, line, "'%s' takes %d arguments, not %d", name, callee->parameters, count);
  }
  const Value value = NewName(c);
  Append(&c->body, "  %s = call double @\"%s\"(", value.text, name);
  for (int i = 0; i < count; ++i) {
    Append(&c->body, "%sdouble %s", i > 0 ? ", " : "", arguments[i].text);
  }
  Append(&c->body, ")%s\n", c->location);
  return value;
}

static Value ReadOperand(Compiler* c) {
  const int line = c->token_line;
  if (Take(c, "(")) {
    const Value value = ReadOperation(c, 0);
    Expect(c, ")");
    return value;
  }
  if (Take(c, "-")) return Instruction(c, "fsub", "double", Number(0), ReadOperand(c));
  if (isdigit((unsigned char)c->token[0])) {
    char* end;
    const double number = strtod(c->token, &end);
    if (*end != '\0') FailAtToken(c, "a number");
    Next(c);
    return Number(number);
  }
  Name name;
  TakeName(c, name);
  if (Take(c, "(")) return ReadCall(c, name, line);
  if (!c->has_failed && !HasVariable(c, name)) Fail(c, line, "there is no variable '%s'", name);
  const Value value = NewName(c);
  Append(&c->body, "  %s = load double, ptr %%\"%s\"%s\n", value.text, name, c->location);
  return value;
}

typedef struct Operator {
  int level; /* Those of a higher level bind more. */
  const char* name;
  const char* instruction;
} Operator;

static const Operator kOperators[] = {
    {0, "==", "fcmp oeq"}, {0, "!=", "fcmp une"}, {0, "<", "fcmp olt"}, {0, "<=", "fcmp ole"},
    {0, ">", "fcmp ogt"},  {0, ">=", "fcmp oge"}, {1, "+", "fadd"},     {1, "-", "fsub"},
    {2, "*", "fmul"},      {2, "/", "fdiv"},      {2, "%", "frem"}};
enum { kLevels = 3, kOperatorCount = sizeof(kOperators) / sizeof(kOperators[0]) };

static Value ReadOperation(Compiler* c, int level) {
  if (level == kLevels) return ReadOperand(c);
  Value left = ReadOperation(c, level + 1);
  for (int i = 0; i < kOperatorCount; ++i) {
    if (kOperators[i].level != level || !Take(c, kOperators[i].name)) continue;
    left = Instruction(c, kOperators[i].instruction, "double", left, ReadOperation(c, level + 1));
    if (level == 0) {
      const Value number = NewName(c);
      Append(&c->body, "  %s = uitofp i1 %s to double%s\n", number.text, left.text, c->location);
      left = number;
    }
    i = -1; /* Further operators of the level, from the first one on. */
  }
  return left;
}

/* ---- Statements ---- */

static void ReadBlock(Compiler* c);

static void Branch(Compiler* c, int then, int otherwise) {
  const Value value = ReadOperation(c, 0);
  const Value holds = Instruction(c, "fcmp une", "double", value, Number(0));
  Append(&c->body, "  br i1 %s, label %%b.%d, label %%b.%d%s\n", holds.text, then, otherwise,
         c->location);
}

static void ReadIf(Compiler* c) {
  const int then = NewBlock(c), otherwise = NewBlock(c), end = NewBlock(c);
  Branch(c, then, otherwise);
  Begin(c, then);
  ReadBlock(c);
  Jump(c, end);
  Begin(c, otherwise);
  if (Take(c, "else")) ReadBlock(c);
  Jump(c, end);
  Begin(c, end);
}

static void ReadWhile(Compiler* c) {
  const int test = NewBlock(c), body = NewBlock(c), end = NewBlock(c);
  Jump(c, test);
  Begin(c, test);
  Branch(c, body, end);
  Begin(c, body);
  ReadBlock(c);
  Jump(c, test);
  Begin(c, end);
}

static void Return(Compiler* c, Value value) {
  Append(&c->body, "  ret double %s%s\n", value.text, c->location);
}

static void ReadStatement(Compiler* c) {
  const int line = c->token_line;
  SetLine(c, line);
  Name name;
  if (Take(c, "let")) {
    TakeName(c, name);
    Expect(c, "=");
    const Value value = ReadOperation(c, 0);
    NewVariable(c, name, line, 0);
    Store(c, name, value);
  } else if (Take(c, "return")) {
    Return(c, ReadOperation(c, 0));
    Begin(c, NewBlock(c)); /* For what follows, which nothing reaches. */
  } else if (Take(c, "if")) {
    ReadIf(c);
  } else if (Take(c, "while")) {
    ReadWhile(c);
  } else if (HasVariable(c, c->token) && c->next[strspn(c->next, " ")] == '=' &&
             c->next[strspn(c->next, " ") + 1] != '=') {
    TakeName(c, name);
    Expect(c, "=");
    Store(c, name, ReadOperation(c, 0));
  } else {
    ReadOperation(c, 0);
  }
}

static void ReadBlock(Compiler* c) {
  Expect(c, "{");
  while (!c->has_failed && !Take(c, "}")) ReadStatement(c);
}

/* ---- Functions ---- */

static void DescribeFunction(Compiler* c, const Function* function) {
  c->scope = c->metadata_count++;
  Append(&c->metadata,
         "!%d = distinct !DISubprogram(name: \"%s\", scope: !2, file: !2, line: %d, type: "
         "!DISubroutineType(types: !{",
         c->scope, function->name, function->line);
  for (int i = 0; i <= function->parameters; ++i) {
    Append(&c->metadata, "%s!3", i > 0 ? ", " : "");
  }
  Append(&c->metadata, "}), scopeLine: %d, spFlags: DISPFlagDefinition, unit: !1)\n",
         function->line);
}

static void ReadFunction(Compiler* c) {
  Name name, parameters[kMaxArguments];
  Expect(c, "fun");
  const int line = c->token_line;
  TakeName(c, name);
  Expect(c, "(");
  int count = 0;
  while (!c->has_failed && !Take(c, ")")) {
    if (count > 0) Expect(c, ",");
    if (count == kMaxArguments) {
      Fail(c, line, "too many parameters");
      return;
    }
    TakeName(c, parameters[count++]);
  }
  if (c->has_failed) return;
  Function* const function = FindFunction(c, name, line);
  if (function->is_defined) Fail(c, line, "'%s' is defined twice", name);
  if (function->parameters >= 0 && function->parameters != count) {
    Fail(c, function->line, "'%s' takes %d arguments, not %d", name, count, function->parameters);
  }
  function->parameters = count;
  function->is_defined = 1;
  function->line = line;

  c->frame.size = c->body.size = 0;
  c->variable_count = 0;
  c->value_count = 0;
  if (c->with_debug) DescribeFunction(c, function);
  for (int i = 0; i < count; ++i) {
    const Value argument = NewName(c); /* %v.0 and so on, as in the head below. */
    SetLine(c, line);
    NewVariable(c, parameters[i], line, i + 1);
    /* Without a line: a breakpoint of the function is then where its parameters have their values.
     */
    c->location[0] = '\0';
    Store(c, parameters[i], argument);
  }
  ReadBlock(c);
  if (c->has_failed) return;
  Return(c, Number(0)); /* A function that ends without a return returns 0. */

  Append(&c->module, "define double @\"%s\"(", name);
  for (int i = 0; i < count; ++i) Append(&c->module, "%sdouble %%v.%d", i > 0 ? ", " : "", i);
  Append(&c->module, ")");
  if (c->with_debug) Append(&c->module, " !dbg !%d", c->scope);
  Append(&c->module, " {\n%.*s%s}\n\n", (int)c->frame.size,
         count + c->variable_count > 0 ? c->frame.begin : "", c->body.begin);
}

static void DeclareOthers(Compiler* c) {
  for (int i = 0; i < c->function_count; ++i) {
    const Function* const function = &c->functions[i];
    if (function->is_defined) continue;
    if (PebbleFindHostFunction(NULL, function->name) == 0) {
      Fail(c, function->line, "there is no function '%s'", function->name);
      return;
    }
    Append(&c->module, "declare double @\"%s\"(", function->name);
    for (int j = 0; j < function->parameters; ++j) {
      Append(&c->module, "%sdouble", j > 0 ? ", " : "");
    }
    Append(&c->module, ")\n");
  }
}

static void DescribeModule(Compiler* c, const char* file) {
  const char* const slash = strrchr(file, '/');
  const char* const name = slash == NULL ? file : slash + 1;
  Append(&c->metadata,
         "!llvm.module.flags = !{!0}\n!llvm.dbg.cu = !{!1}\n"
         "!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
         "!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, producer: \"pebble\", "
         "emissionKind: FullDebug)\n"
         "!2 = !DIFile(filename: \"%s\", directory: \"%.*s\")\n"
         "!3 = !DIBasicType(name: \"number\", size: 64, encoding: DW_ATE_float)\n",
         name, (int)(name - file), file);
  Append(&c->module, "declare void @llvm.dbg.declare(metadata, metadata, metadata)\n\n");
  c->metadata_count = 4;
}

static char* ReadAll(const char* file) {
  Text text = {NULL, 0};
  char line[1000];
  FILE* const input = fopen(file, "r");
  if (input == NULL) return NULL;
  Append(&text, "");
  while (fgets(line, sizeof(line), input) != NULL) Append(&text, "%s", line);
  fclose(input);
  return text.begin;
}

char* PebbleCompile(const char* file, int with_debug_information, char* error, size_t error_size) {
  char* const program = ReadAll(file);
  if (program == NULL) {
    snprintf(error, error_size, "there is no file '%s'", file);
    return NULL;
  }
  Compiler* const c = calloc(1, sizeof(Compiler));
  if (c == NULL) abort();
  c->next = program;
  c->line = 1;
  c->error = error;
  c->error_size = error_size;
  c->with_debug = with_debug_information;
  Append(&c->module, "");
  Append(&c->metadata, "");
  if (c->with_debug) DescribeModule(c, file);
  Next(c);
  while (c->token[0] != '\0') ReadFunction(c);
  if (!c->has_failed) DeclareOthers(c);
  Append(&c->module, "%s", c->metadata.begin);

  char* result = c->module.begin;
  if (c->has_failed) {
    free(result);
    result = NULL;
  }
  free(c->frame.begin);
  free(c->body.begin);
  free(c->metadata.begin);
  free(c);
  free(program);
  return result;
}

/* ---- What programs call ---- */

static double Print(double number) {
  printf("%.10g\n", number);
  fflush(stdout);
  return number;
}

uintptr_t PebbleFindHostFunction(void* user_data, const char* name) {
  (void)user_data;
  return strcmp(name, "print") == 0 ? (uintptr_t)&Print : 0;
}
