"""How many random programs a test takes."""

def seeds(source, count):
    """Arguments of seeds_test.cc; in the emulator a quarter must do."""
    return select({
        "//third_party/aarch64:is_cross_target": [source, "1", str((count + 3) // 4)],
        "//conditions:default": [source, "1", str(count)],
    })
