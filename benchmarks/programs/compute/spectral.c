// The largest singular value of a matrix that is computed and not kept, by power iteration.
#include <math.h>
#include <stdio.h>

#include "scale.h"

enum { kSize = 700 };

static double Element(int row, int column) {
  return 1.0 / ((row + column) * (row + column + 1) / 2 + row + 1);
}

static void Apply(const double* from, double* to, int is_transposed) {
  for (int i = 0; i < kSize; ++i) {
    double sum = 0;
    for (int j = 0; j < kSize; ++j) {
      sum += (is_transposed ? Element(j, i) : Element(i, j)) * from[j];
    }
    to[i] = sum;
  }
}

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 2550);
  static double vector[kSize], image[kSize];
  double length = 0;
  for (int i = 0; i < kSize; ++i) vector[i] = 1;
  for (long round = 0; round < scale; ++round) {
    Apply(vector, image, 0);
    Apply(image, vector, 1);
    length = 0;
    for (int i = 0; i < kSize; ++i) length += vector[i] * vector[i];
    length = sqrt(length);
    for (int i = 0; i < kSize; ++i) vector[i] /= length;
  }
  printf("%.6f\n", sqrt(length));
  return 0;
}
