set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_COMPILER clang++ CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1" CACHE STRING "")
set(FAIRLANE_SANITIZE "address,undefined" CACHE STRING "")
set(FAIRLANE_JEMALLOC OFF CACHE BOOL "")
# The libFuzzer programs are built beside the tests, from the same objects.
set(FAIRLANE_FUZZ ON CACHE BOOL "")
set(FAIRLANE_WERROR ON CACHE BOOL "")
