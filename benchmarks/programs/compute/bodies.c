// Bodies that attract each other, moved by the leapfrog method.
#include <math.h>
#include <stdio.h>

#include "scale.h"

enum { kBodies = 6 };

struct Vector {
  double x, y, z;
};

struct Body {
  struct Vector place, speed;
  double mass;
};

static struct Body bodies[kBodies];

static void Place(void) {
  for (int i = 0; i < kBodies; ++i) {
    struct Body* body = &bodies[i];
    body->place.x = 3.0 * i + 1;
    body->place.y = (i % 3) * 1.5 - 1;
    body->place.z = 0.25 * i;
    body->speed.x = 0.1 * (i % 2) - 0.05;
    body->speed.y = 0.3 / (i + 1);
    body->speed.z = 0;
    body->mass = i == 0 ? 5 : 0.01 * i;
  }
}

static void Attract(struct Body* one, struct Body* other, double time) {
  const double x = one->place.x - other->place.x;
  const double y = one->place.y - other->place.y;
  const double z = one->place.z - other->place.z;
  const double square = x * x + y * y + z * z + 0.01;
  const double force = time / (square * sqrt(square));
  one->speed.x -= x * other->mass * force;
  one->speed.y -= y * other->mass * force;
  one->speed.z -= z * other->mass * force;
  other->speed.x += x * one->mass * force;
  other->speed.y += y * one->mass * force;
  other->speed.z += z * one->mass * force;
}

static void Advance(double time) {
  for (int i = 0; i < kBodies; ++i) {
    for (int j = i + 1; j < kBodies; ++j) Attract(&bodies[i], &bodies[j], time);
  }
  for (int i = 0; i < kBodies; ++i) {
    struct Body* body = &bodies[i];
    body->place.x += time * body->speed.x;
    body->place.y += time * body->speed.y;
    body->place.z += time * body->speed.z;
  }
}

static double Energy(void) {
  double energy = 0;
  for (int i = 0; i < kBodies; ++i) {
    const struct Vector* v = &bodies[i].speed;
    energy += 0.5 * bodies[i].mass * (v->x * v->x + v->y * v->y + v->z * v->z);
  }
  return energy;
}

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 560);
  Place();
  for (long i = 0; i < scale * 100000L; ++i) Advance(0.0001);
  // Contraction of products and sums may differ from one compiler to the next.
  printf("%.3f\n", Energy());
  return 0;
}
