# What the image holds: the server configuration as one file that needs no library beside it, so that the image can do
# without a system.
include(${CMAKE_CURRENT_LIST_DIR}/server.cmake)
set(FAIRLANE_STATIC ON CACHE BOOL "")
