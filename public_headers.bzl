"""The C++ interface: the headers that a client includes, and what they include themselves."""

PUBLIC_HEADERS = [
    "//base:status.h",
    "//cache:disk_cache.h",
    "//cache:object_cache.h",
    "//cache:redis_cache.h",
    "//engine:engine.h",
    "//engine:options.h",
    "//isolation:isolated_engine.h",
    "//memory:in_process_mapper.h",
    "//memory:memory_manager.h",
    "//memory:page_mapper.h",
    "//runtime:event.h",
]
