// What LLVM would call the texts and tables that it makes for the other module.
char str[] = "WRONG: another module's variable";
char first_text[] __asm__("str.1") = "WRONG: another module's variable";
char second_text[] __asm__("str.2") = "WRONG: another module's variable";
int table[] __asm__("switch.table.classify") = {1, 2, 3, 4, 5};
int table_of_main[] __asm__("switch.table.main") = {1, 2, 3, 4, 5};
