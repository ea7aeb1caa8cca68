// What an interpreter of JavaScript does: calls, arrays, objects, closures, strings, regular
// expressions, exceptions. Each round is the same; `rounds` is how many there are.

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

function sieve(n) {
  var composite = [], count = 0, i, j;
  for (i = 0; i <= n; ++i) composite.push(false);
  for (i = 2; i <= n; ++i) {
    if (composite[i]) continue;
    ++count;
    for (j = 2 * i; j <= n; j += i) composite[j] = true;
  }
  return count;
}

function queens(n) {
  function place(row, columns, left, right) {
    if (row === n) return 1;
    var count = 0;
    for (var free = ~(columns | left | right) & ((1 << n) - 1); free !== 0; free &= free - 1) {
      var bit = free & -free;
      count += place(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
  }
  return place(0, 0, 0, 0);
}

function Vector(x, y) { this.x = x; this.y = y; }
Vector.prototype.plus = function (other) { return new Vector(this.x + other.x, this.y + other.y); };
Vector.prototype.turned = function () { return new Vector(-this.y, this.x); };

function vectors(n) {
  var sum = new Vector(0, 0), step = new Vector(1.5, 0.25);
  for (var i = 0; i < n; ++i) {
    sum = sum.plus(step);
    if (i % 3 === 0) step = step.turned();
  }
  return sum.x + sum.y;
}

function words(n) {
  var list = [], counts = {}, i;
  for (i = 0; i < n; ++i) list.push("w" + (i * 7919 % 1009) + "_" + i % 13);
  for (i = 0; i < n; ++i) counts[list[i]] = (counts[list[i]] || 0) + 1;
  var keys = Object.keys(counts).sort();
  var text = list.join(" ").replace(/w(\d)(\d*)_/g, "$2v$1-");
  return keys.length + " " + text.length + " " + text.split("-1").length;
}

function failures(n) {
  var caught = 0;
  function risk(i) { if (i % 4 === 0) throw new Error("fault " + i); return i; }
  for (var i = 0; i < n; ++i) {
    try { risk(i); } catch (error) { caught += error.message.length; }
  }
  return caught;
}

for (var round = 0; round < rounds; ++round) {
  print(fib(23), sieve(60000), queens(7), vectors(60000), words(8000), failures(15000));
}
