// Classes, ranges, exceptions, slices and associative arrays, with D's standard library.
import std.algorithm, std.range, std.stdio;

class Shape {
    abstract long area();
}

class Square : Shape {
    this(long side) { this.side = side; }
    override long area() { return side * side; }
    private long side;
}

class Strip : Shape {
    this(long length) { this.length = length; }
    override long area() { return length * 2; }
    private long length;
}

long checked(long value) {
    if (value % 7 == 3) throw new Exception("three");
    return value + 1;
}

void main() {
    Shape[] shapes;
    foreach (n; 0 .. 2000) shapes ~= n % 2 ? cast(Shape) new Square(n) : new Strip(n);
    writeln(shapes.map!(shape => shape.area).sum);
    long caught, sum;
    foreach (n; 0 .. 1000) {
        try sum += checked(n);
        catch (Exception error) caught++;
        scope (exit) sum++;
    }
    writeln(sum, " ", caught);
    int[string] counts;
    foreach (word; ["a", "rose", "is", "a", "rose"]) counts[word]++;
    foreach (word; counts.keys.sort) writeln(word, " ", counts[word]);
}
