set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(CMAKE_CXX_COMPILER g++ CACHE STRING "")
set(FAIRLANE_WERROR ON CACHE BOOL "")
# With link-time optimisation the limit of growth counts the whole program, and small functions stay calls.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG --param=inline-unit-growth=400" CACHE STRING "")
