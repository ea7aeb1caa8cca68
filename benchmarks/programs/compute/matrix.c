// Products of square matrices of doubles.
#include <stdio.h>

#include "scale.h"

enum { kSize = 240 };

static double a[kSize][kSize], b[kSize][kSize], product[kSize][kSize];

static void Fill(double matrix[kSize][kSize], int seed) {
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) matrix[i][j] = (double)((i * 7 + j * 3 + seed) % 11) - 5;
  }
}

static void Multiply(void) {
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) product[i][j] = 0;
    for (int k = 0; k < kSize; ++k) {
      const double factor = a[i][k];
      for (int j = 0; j < kSize; ++j) product[i][j] += factor * b[k][j];
    }
  }
}

static double Trace(void) {
  double trace = 0;
  for (int i = 0; i < kSize; ++i) trace += product[i][i];
  return trace;
}

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 1020);
  double sum = 0;
  for (long i = 0; i < scale; ++i) {
    Fill(a, (int)(i % 13));
    Fill(b, (int)(i % 5));
    Multiply();
    sum += Trace();
  }
  printf("%.0f\n", sum);
  return 0;
}
