/* A read-eval-print loop for a small language of numbers, similar to LLVM's Kaleidoscope tutorial:
 *
 *   def fib(n) if n < 2 then n else fib(n-1) + fib(n-2)
 *   extern sin(x)
 *   fib(20) + sin(0)
 *
 * Each entry becomes a module of its own, built with LLVM's C API. The module of a definition
 * stays; that of an expression is called and then removed. When a function is defined again, its
 * old module is removed, and the modules of its callers are made again, because the number of
 * arguments may have changed. `#` begins a comment. */

#include <ctype.h>
#include <llvm-c/Core.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "firstcall/firstcall.h"

enum { kMaxFunctions = 256, kMaxParameters = 8, kMaxCallees = 32, kMaxLine = 1000, kMaxName = 32 };

typedef char Name[kMaxName];

typedef struct Function {
  Name name;
  unsigned parameter_count;
  char source[kMaxLine]; /* Empty for an extern. */
  Name callees[kMaxCallees];
  unsigned callee_count;
  fc_module_id module;
  int is_stale; /* Must be made again. */
} Function;

static fc_engine* engine;
static Function functions[kMaxFunctions];
static unsigned function_count;

static Function* Find(const char* name) {
  for (unsigned i = 0; i < function_count; ++i) {
    if (strcmp(functions[i].name, name) == 0) return &functions[i];
  }
  return NULL;
}

/* ---- One entry on its way to a module ---- */

typedef struct Entry {
  const char* next; /* The rest of the line. */
  int has_failed;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  LLVMTypeRef number;
  LLVMValueRef function;
  Function signature;
  Name parameters[kMaxParameters];
} Entry;

/* Reports the first error of an entry. Everything that is built afterwards is discarded. */
static LLVMValueRef Fail(Entry* entry, const char* format, ...) {
  if (!entry->has_failed) {
    va_list arguments;
    va_start(arguments, format);
    printf("error: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
  }
  entry->has_failed = 1;
  return LLVMConstReal(entry->number, 0);
}

static void SkipSpace(Entry* entry) {
  while (isspace((unsigned char)*entry->next)) ++entry->next;
}

static int Take(Entry* entry, char expected) {
  SkipSpace(entry);
  if (*entry->next != expected) return 0;
  ++entry->next;
  return 1;
}

static void Expect(Entry* entry, char expected) {
  if (!Take(entry, expected)) Fail(entry, "expected '%c' before '%s'", expected, entry->next);
}

static int TakeName(Entry* entry, Name name) {
  size_t length = 0;
  SkipSpace(entry);
  while (isalpha((unsigned char)entry->next[length]) ||
         (length > 0 && isalnum((unsigned char)entry->next[length]))) {
    ++length;
  }
  if (length == 0 || length >= kMaxName) return 0;
  memcpy(name, entry->next, length);
  name[length] = '\0';
  entry->next += length;
  return 1;
}

static int TakeWord(Entry* entry, const char* word) {
  const char* const before = entry->next;
  Name name;
  if (TakeName(entry, name) && strcmp(name, word) == 0) return 1;
  entry->next = before;
  return 0;
}

static LLVMValueRef Expression(Entry* entry);

static LLVMTypeRef TypeOfFunction(Entry* entry, unsigned parameter_count) {
  LLVMTypeRef parameters[kMaxParameters];
  for (unsigned i = 0; i < parameter_count; ++i) parameters[i] = entry->number;
  return LLVMFunctionType(entry->number, parameters, parameter_count, 0);
}

static LLVMValueRef Call(Entry* entry, const char* name) {
  LLVMValueRef arguments[kMaxParameters];
  unsigned count = 0;
  while (!Take(entry, ')')) {
    if (count > 0) Expect(entry, ',');
    if (count == kMaxParameters) return Fail(entry, "too many arguments");
    arguments[count++] = Expression(entry);
    if (entry->has_failed) return arguments[0];
  }
  Function* const signature = &entry->signature;
  const Function* callee = strcmp(name, signature->name) == 0 ? signature : Find(name);
  if (callee == NULL) return Fail(entry, "there is no function '%s'", name);
  if (callee->parameter_count != count) {
    return Fail(entry, "'%s' takes %u arguments, not %u", name, callee->parameter_count, count);
  }
  LLVMTypeRef type = TypeOfFunction(entry, count);
  LLVMValueRef function = LLVMGetNamedFunction(entry->module, name);
  if (function == NULL) {
    if (signature->callee_count == kMaxCallees) return Fail(entry, "too many functions are called");
    strcpy(signature->callees[signature->callee_count++], name);
    function = LLVMAddFunction(entry->module, name, type);
  }
  return LLVMBuildCall2(entry->builder, type, function, arguments, count, "");
}

static LLVMValueRef Condition(Entry* entry) {
  LLVMValueRef zero = LLVMConstReal(entry->number, 0);
  LLVMValueRef condition = LLVMBuildFCmp(entry->builder, LLVMRealONE, Expression(entry), zero, "");
  LLVMBasicBlockRef blocks[2];
  LLVMValueRef values[2];
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(entry->context, entry->function, "");
  for (int i = 0; i < 2; ++i) {
    blocks[i] = LLVMAppendBasicBlockInContext(entry->context, entry->function, "");
  }
  LLVMBuildCondBr(entry->builder, condition, blocks[0], blocks[1]);
  for (int i = 0; i < 2; ++i) {
    if (!TakeWord(entry, i == 0 ? "then" : "else")) {
      return Fail(entry, "expected '%s' before '%s'", i == 0 ? "then" : "else", entry->next);
    }
    LLVMPositionBuilderAtEnd(entry->builder, blocks[i]);
    values[i] = Expression(entry);
    if (entry->has_failed) return zero;
    LLVMBuildBr(entry->builder, end);
    blocks[i] = LLVMGetInsertBlock(entry->builder); /* The expression may have added blocks. */
  }
  LLVMPositionBuilderAtEnd(entry->builder, end);
  LLVMValueRef phi = LLVMBuildPhi(entry->builder, entry->number, "");
  LLVMAddIncoming(phi, values, blocks, 2);
  return phi;
}

static LLVMValueRef Operand(Entry* entry) {
  Name name;
  char* end;
  if (entry->has_failed) return LLVMConstReal(entry->number, 0);
  if (Take(entry, '-')) return LLVMBuildFNeg(entry->builder, Operand(entry), "");
  if (Take(entry, '(')) {
    LLVMValueRef inner = Expression(entry);
    Expect(entry, ')');
    return inner;
  }
  if (isdigit((unsigned char)*entry->next) || *entry->next == '.') {
    const double value = strtod(entry->next, &end);
    entry->next = end;
    return LLVMConstReal(entry->number, value);
  }
  if (TakeWord(entry, "if")) return Condition(entry);
  if (!TakeName(entry, name)) return Fail(entry, "expected an operand before '%s'", entry->next);
  if (Take(entry, '(')) return Call(entry, name);
  for (unsigned i = 0; i < entry->signature.parameter_count; ++i) {
    if (strcmp(name, entry->parameters[i]) == 0) return LLVMGetParam(entry->function, i);
  }
  return Fail(entry, "there is no variable '%s'", name);
}

static LLVMValueRef Product(Entry* entry) {
  LLVMValueRef left = Operand(entry);
  for (;;) {
    if (Take(entry, '*')) {
      left = LLVMBuildFMul(entry->builder, left, Operand(entry), "");
    } else if (Take(entry, '/')) {
      left = LLVMBuildFDiv(entry->builder, left, Operand(entry), "");
    } else {
      return left;
    }
  }
}

static LLVMValueRef Sum(Entry* entry) {
  LLVMValueRef left = Product(entry);
  for (;;) {
    if (Take(entry, '+')) {
      left = LLVMBuildFAdd(entry->builder, left, Product(entry), "");
    } else if (Take(entry, '-')) {
      left = LLVMBuildFSub(entry->builder, left, Product(entry), "");
    } else {
      return left;
    }
  }
}

static LLVMValueRef Expression(Entry* entry) {
  LLVMValueRef left = Sum(entry);
  while (Take(entry, '<')) {
    LLVMValueRef less = LLVMBuildFCmp(entry->builder, LLVMRealOLT, left, Sum(entry), "");
    left = LLVMBuildUIToFP(entry->builder, less, entry->number, "");
  }
  return left;
}

/* Reads name(a b c), with or without commas. */
static void Prototype(Entry* entry) {
  Function* const signature = &entry->signature;
  if (!TakeName(entry, signature->name)) {
    Fail(entry, "expected the name of a function before '%s'", entry->next);
    return;
  }
  Expect(entry, '(');
  while (!entry->has_failed && !Take(entry, ')')) {
    Take(entry, ',');
    if (signature->parameter_count == kMaxParameters) {
      Fail(entry, "too many parameters");
    } else if (!TakeName(entry, entry->parameters[signature->parameter_count++])) {
      Fail(entry, "expected a parameter before '%s'", entry->next);
    }
  }
}

static void Begin(Entry* entry, const char* line) {
  memset(entry, 0, sizeof(*entry));
  entry->next = line;
  entry->context = LLVMContextCreate();
  entry->module = LLVMModuleCreateWithNameInContext("entry", entry->context);
  entry->builder = LLVMCreateBuilderInContext(entry->context);
  entry->number = LLVMDoubleTypeInContext(entry->context);
}

/* Builds a function whose body is the rest of the line, an expression. */
static void Body(Entry* entry) {
  LLVMTypeRef type = TypeOfFunction(entry, entry->signature.parameter_count);
  entry->function = LLVMAddFunction(entry->module, entry->signature.name, type);
  LLVMPositionBuilderAtEnd(entry->builder,
                           LLVMAppendBasicBlockInContext(entry->context, entry->function, ""));
  LLVMBuildRet(entry->builder, Expression(entry));
  SkipSpace(entry);
  if (*entry->next != '\0') Fail(entry, "cannot read on from '%s'", entry->next);
}

static int Report(fc_error* error) {
  if (error == NULL) return 0;
  printf("error: %s\n", fc_error_get_message(error));
  fc_error_free(error);
  return 1;
}

/* Hands module and context to the engine or, if the entry has failed, destroys them. Returns
 * whether the module was added. */
static int End(Entry* entry, fc_module_id* module) {
  LLVMDisposeBuilder(entry->builder);
  if (entry->has_failed) {
    LLVMDisposeModule(entry->module);
    LLVMContextDispose(entry->context);
    return 0;
  }
  return !Report(fc_engine_add_module(engine, entry->context, entry->module, module));
}

/* ---- Definitions, declarations and expressions ---- */

static Function* Slot(const char* name) {
  Function* slot = Find(name);
  if (slot != NULL || function_count == kMaxFunctions) return slot;
  return &functions[function_count++];
}

/* Reads a definition without adding its module. */
static void ReadDefinition(Entry* entry, const char* source) {
  Begin(entry, source);
  strcpy(entry->signature.source, source);
  Prototype(entry);
  if (!entry->has_failed) Body(entry);
}

/* Marks each function that calls a stale one, directly or not, as stale, and removes its module. */
static void RemoveCallers(void) {
  for (unsigned i = 0; i < function_count; ++i) {
    Function* const caller = &functions[i];
    if (caller->is_stale) continue;
    for (unsigned j = 0; j < caller->callee_count; ++j) {
      const Function* const callee = Find(caller->callees[j]);
      if (callee == NULL || !callee->is_stale) continue;
      caller->is_stale = 1;
      Report(fc_engine_remove(engine, caller->module));
      i = (unsigned)-1; /* From the start: other functions may call the caller. */
      break;
    }
  }
}

static void Forget(Function* function) { *function = functions[--function_count]; }

static void Define(const char* source) {
  Entry entry;
  ReadDefinition(&entry, source);
  Function* old = Find(entry.signature.name);
  if (!entry.has_failed && old != NULL && old->source[0] != '\0') {
    Report(fc_engine_remove(engine, old->module));
    old->is_stale = 1;
    RemoveCallers();
  }
  Function* const slot = entry.has_failed ? NULL : Slot(entry.signature.name);
  if (!entry.has_failed && slot == NULL) Fail(&entry, "too many functions");
  fc_module_id module;
  if (End(&entry, &module)) {
    *slot = entry.signature;
    slot->module = module;
  }
  for (unsigned i = 0; i < function_count; ++i) {
    if (!functions[i].is_stale) continue;
    ReadDefinition(&entry, functions[i].source);
    if (End(&entry, &module)) {
      functions[i] = entry.signature;
      functions[i].module = module;
    } else {
      printf("'%s' is not defined any more\n", functions[i].name);
      Forget(&functions[i--]);
    }
  }
}

static void Declare(const char* source) {
  Entry entry;
  fc_module_id module;
  Begin(&entry, source);
  Prototype(&entry);
  if (!entry.has_failed && Find(entry.signature.name) != NULL) {
    Fail(&entry, "'%s' is there already", entry.signature.name);
  }
  Function* const slot = entry.has_failed ? NULL : Slot(entry.signature.name);
  if (slot != NULL) *slot = entry.signature;
  entry.has_failed = 1; /* A declaration adds no module. */
  End(&entry, &module);
}

static void Evaluate(const char* source) {
  Entry entry;
  fc_module_id module;
  Begin(&entry, source);
  strcpy(entry.signature.name, "#expression"); /* No entry can call this name. */
  Body(&entry);
  if (!End(&entry, &module)) return;
  fc_value result = {.type.kind = FC_DOUBLE};
  if (!Report(fc_call(engine, "#expression", NULL, 0, &result))) {
    printf("%g\n", result.as.float64);
  }
  Report(fc_engine_remove(engine, module));
}

/* ---- The loop ---- */

/* Called in place of a function that cannot be compiled or does not exist. */
static double NotANumber(void) { return strtod("nan", NULL); }

static uintptr_t OnFailedCall(void* user_data, const fc_failed_call* call) {
  (void)user_data;
  printf("error: %s\n", call->message);
  return (uintptr_t)&NotANumber;
}

int main(int argc, char** argv) {
  FILE* const input = argc > 1 ? fopen(argv[1], "r") : stdin;
  if (input == NULL) {
    fprintf(stderr, "usage: repl [FILE]\n");
    return 2;
  }
  fc_options* options = fc_options_create();
  fc_options_set_failure_handler(options, OnFailedCall, NULL);
  fc_error* const error = fc_engine_create(options, &engine);
  fc_options_free(options);
  if (Report(error)) return 1;

  char line[kMaxLine];
  while (fgets(line, sizeof(line), input) != NULL) {
    line[strcspn(line, "#\n")] = '\0';
    Entry words = {.next = line};
    SkipSpace(&words);
    if (*words.next == '\0') continue;
    if (TakeWord(&words, "def")) {
      Define(words.next);
    } else if (TakeWord(&words, "extern")) {
      Declare(words.next);
    } else {
      Evaluate(words.next);
    }
  }
  fc_statistics statistics = {.struct_size = sizeof(statistics)};
  Report(fc_engine_get_statistics(engine, &statistics));
  printf("modules: %d added, %d removed\n", (int)statistics.modules,
         (int)statistics.modules_removed);
  if (input != stdin) fclose(input);
  fc_engine_destroy(engine);
  return 0;
}
