# What the README's first command and the image build: the server alone, as fast as it gets.
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON CACHE BOOL "")
set(FAIRLANE_TESTS OFF CACHE BOOL "")
# With link-time optimisation the limits of growth count the whole program, and small functions stay calls.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG --param=inline-unit-growth=2000 --param=large-function-growth=1000 --param=large-unit-insns=100000" CACHE STRING "")
