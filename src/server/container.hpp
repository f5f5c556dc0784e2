#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The first process of a container.
namespace fairlane::server {

/// What a server is to be started with: the words behind a server's name, or all of them when they are options or begin
/// with a configuration file, and behind these what the environment adds in the ways of other images: FAIRLANE_ARGS,
/// REDIS_ARGS, VALKEY_EXTRA_FLAGS, REDIS_PASSWORD. Nothing when the words are some other command.
std::optional<std::vector<std::string>> server_words(std::span<const std::string_view> words);

/// Gives up root for the user that the image has for it, who gets the working directory, and sees to what the kernel
/// asks of a container's first process. Throws StartFailure.
void settle_in();

/// Asks the server that is this container's first process whether it serves: exit status 0 or 1, for a health check.
int check_health();

}  // namespace fairlane::server
