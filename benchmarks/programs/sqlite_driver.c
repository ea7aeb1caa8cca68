// Runs three statements in an in-memory SQLite database and prints what they select.
#include <stdio.h>

#include "sqlite3.h"

static int PrintRow(void* unused, int columns, char** values, char** names) {
  (void)unused;
  for (int i = 0; i < columns; ++i)
    printf("%s=%s%c", names[i], values[i], i + 1 < columns ? ' ' : '\n');
  return 0;
}

int main(void) {
  sqlite3* db = NULL;
  char* error = NULL;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
  sqlite3_exec(db,
               "create table sale(city text, amount int);"
               "insert into sale values('Oslo',3),('Lima',5),('Oslo',4),('Cairo',1),('Lima',2);"
               "select city, count(*) as sales, sum(amount) as total from sale group by city;",
               PrintRow, NULL, &error);
  if (error != NULL) fprintf(stderr, "%s\n", error);
  return sqlite3_close(db) == SQLITE_OK && error == NULL ? 0 : 1;
}
