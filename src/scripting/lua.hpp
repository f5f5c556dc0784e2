#pragma once

/// Lua 5.1, built as C++: its errors are exceptions, so destructors run when one passes, and no function that Lua calls
/// may be noexcept or swallow an exception that it does not know.
#include <lua5.1/lua.hpp>
