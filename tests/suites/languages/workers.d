// Thread-local and shared variables, delegates and templates, with D's runtime library.
import core.atomic, core.thread, std.stdio;

int depth = 4;
shared long total;

long turn(int rounds)(long value) {
    static if (rounds == 0) return value;
    else return turn!(rounds - 1)(value * 31 + rounds);
}

void main() {
    Thread[] threads;
    foreach (n; 0 .. 4) {
        auto thread = (int number) => new Thread({
            depth += number;
            foreach (round; 0 .. 500) atomicOp!"+="(total, turn!12(number * round) & 0xffff);
            atomicOp!"+="(total, depth);
        });
        threads ~= thread(n).start();
    }
    foreach (thread; threads) thread.join();
    writeln(atomicLoad(total), " ", depth);
}
