# One interface target carries the flags that every target of the project is built with.
add_library(fairlane_flags INTERFACE)
target_compile_options(fairlane_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 12 sees overlaps inside std::string that are not there (GCC bug 105651).
  target_compile_options(fairlane_flags INTERFACE -Wno-restrict)
endif()
if(FAIRLANE_WERROR)
  target_compile_options(fairlane_flags INTERFACE -Werror)
endif()
if(FAIRLANE_SANITIZE)
  target_compile_options(fairlane_flags INTERFACE -fsanitize=${FAIRLANE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(fairlane_flags INTERFACE -fsanitize=${FAIRLANE_SANITIZE})
endif()
if(FAIRLANE_FUZZ)
  target_compile_options(fairlane_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(fairlane_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# fairlane_layer(<name> [DEPENDS <layer>...] [LIBRARIES <target>...])
#
# A static library fairlane_<name> from every .cpp below src/<name>; its contract lies in include/fairlane/<name>.
# DEPENDS names the layers it may include (tests/layering checks the includes themselves).
function(fairlane_layer name)
  cmake_parse_arguments(LAYER "" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    message(FATAL_ERROR "layer ${name} has no sources")
  endif()
  add_library(fairlane_${name} STATIC ${sources})
  target_include_directories(fairlane_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM LAYER_DEPENDS PREPEND fairlane_)
  target_link_libraries(fairlane_${name} PUBLIC ${LAYER_DEPENDS} PRIVATE fairlane_flags ${LAYER_LIBRARIES})
endfunction()

# fairlane_test(<folder> [LIBRARIES <target>...]): one GoogleTest program from every .cpp of a folder below tests.
function(fairlane_test folder)
  cmake_parse_arguments(TEST "" "" "LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" name test_${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ${TEST_LIBRARIES} fairlane_flags GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()
