// Runs three statements in an in-memory SQLite database, or those of the file that is named, and
// prints what they select.
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

static const char kStatements[] =
    "create table sale(city text, amount int);"
    "insert into sale values('Oslo',3),('Lima',5),('Oslo',4),('Cairo',1),('Lima',2);"
    "select city, count(*) as sales, sum(amount) as total from sale group by city;";

static int PrintRow(void* unused, int columns, char** values, char** names) {
  (void)unused;
  for (int i = 0; i < columns; ++i)
    printf("%s=%s%c", names[i], values[i], i + 1 < columns ? ' ' : '\n');
  return 0;
}

static char* ReadFile(const char* path) {
  FILE* file = fopen(path, "r");
  if (file == NULL) return NULL;
  char* text = calloc(1, 1 << 16);
  if (text != NULL) fread(text, 1, (1 << 16) - 1, file);
  fclose(file);
  return text;
}

int main(int argc, char** argv) {
  sqlite3* db = NULL;
  char* error = NULL;
  char* text = argc > 1 ? ReadFile(argv[1]) : NULL;
  if (argc > 1 && text == NULL) return 1;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
  sqlite3_exec(db, text != NULL ? text : kStatements, PrintRow, NULL, &error);
  if (error != NULL) fprintf(stderr, "%s\n", error);
  free(text);
  return sqlite3_close(db) == SQLITE_OK && error == NULL ? 0 : 1;
}
