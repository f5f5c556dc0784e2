#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/command/options.hpp"

/// Readers of the options whose texts are more than a number or a word: Option::read and the like.
namespace fairlane::command {

/// The blank-separated words of a kept text.
std::vector<std::string> words_of(std::string_view text);

std::string read_addresses(std::span<const std::string_view> words, std::string& kept);
std::string read_output_limits(std::span<const std::string_view> words, std::string& kept);
void apply_output_limits(Settings& settings, const OptionValue& value);
std::string read_title_template(std::span<const std::string_view> words, std::string& kept);
/// Changes to the directory.
std::string read_directory(std::span<const std::string_view> words, std::string& kept);
std::string read_shutdown_flags(std::span<const std::string_view> words, std::string& kept);
std::string read_percentiles(std::span<const std::string_view> words, std::string& kept);
void apply_percentiles(Settings& settings, const OptionValue& value);
std::string read_event_classes(std::span<const std::string_view> words, std::string& kept);
std::string show_event_classes(const std::string& kept);
std::string read_save_points(std::span<const std::string_view> words, std::string& kept);
std::string read_snapshot_name(std::span<const std::string_view> words, std::string& kept);
std::string read_log_name(std::span<const std::string_view> words, std::string& kept);
std::string read_log_directory(std::span<const std::string_view> words, std::string& kept);
std::string read_master(std::span<const std::string_view> words, std::string& kept);
std::string read_host_name(std::span<const std::string_view> words, std::string& kept);
std::string read_scores(std::span<const std::string_view> words, std::string& kept);

}  // namespace fairlane::command
