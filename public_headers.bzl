"""The C++ interface: the headers that a client includes, and what they include themselves."""

# Those that are installed under the path that they have here.
PUBLIC_HEADERS = [
    "//base:status.h",
    "//cache:disk_cache.h",
    "//cache:http_cache.h",
    "//cache:object_cache.h",
    "//cache:open_shared_cache.h",
    "//cache:redis_cache.h",
    "//engine:engine.h",
    "//engine:options.h",
    "//memory:in_process_mapper.h",
    "//memory:memory_manager.h",
    "//memory:page_mapper.h",
    "//services/executor:executor_engine.h",
    "//services/executor:serve_executor.h",
]

# Those that have moved, but are installed under the path that clients know.
MOVED_HEADERS = {
    "//clients/mcjit:install.h": "mcjit/install.h",
    "//clients/orc:orc_c.h": "orc/orc_c.h",
    "//clients/orc:orc_compiler.h": "orc/orc_compiler.h",
    "//clients/orc:orc_lazy_layer.h": "orc/orc_lazy_layer.h",
    "//clients/orc:orc_statistics.h": "orc/orc_statistics.h",
    "//seam:event.h": "runtime/event.h",
    "//services/isolation:isolated_engine.h": "isolation/isolated_engine.h",
}

def path_of(label):
    return label.lstrip("/").replace(":", "/")
