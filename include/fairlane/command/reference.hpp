#pragma once

#include <string>

namespace fairlane::command {

/// Appends the reference of all commands in Markdown, group by group. The same declarations give the same text.
void print_reference(std::string& text);

}  // namespace fairlane::command
