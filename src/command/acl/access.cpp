#include "command/acl/access.hpp"

namespace fairlane::command {

Verdict ask_permission(Services& services, const Session& session, const Command& command,
                       std::span<const std::string_view> words, Denials::Place place) {
  if (session.unrestricted) return {};
  const Verdict verdict = session.user->check(command, words);
  if (verdict.permitted()) return verdict;
  std::string object = verdict.refused == Refused::command ? command.name : std::string(words[verdict.word]);
  services.denials->note(session, words,
                         {.count = 1,
                          .reason = verdict.refused,
                          .place = place,
                          .object = std::move(object),
                          .user = session.user->name,
                          .latest = {},
                          .client = {}});
  return verdict;
}

void note_failed_login(Services& services, const Session& session, std::span<const std::string_view> words,
                       std::string_view user) {
  services.denials->note(session, words,
                         {.count = 1,
                          .reason = Refused::login,
                          .place = session.transaction.open ? Denials::Place::multi : Denials::Place::toplevel,
                          .object = std::string(words[0]),
                          .user = std::string(user),
                          .latest = {},
                          .client = {}});
}

bool reads_all_keys(const Session& session, const Command& command, std::span<const std::string_view> words) {
  return session.unrestricted || session.user->reads_all_keys(command, words);
}

std::string refusal(const Verdict& verdict, const Command& command) {
  std::string text = "NOPERM this user has no permissions to ";
  if (verdict.refused == Refused::command) return text + "run the '" + command.name + "' command";
  text += "access one of the ";
  text += verdict.refused == Refused::key ? "keys" : "channels";
  return text + " used as arguments";
}

std::string_view refusal_in_script(const Verdict& verdict) {
  switch (verdict.refused) {
    case Refused::command:
      return "ERR The user executing the script can't run this command or subcommand";
    case Refused::key:
      return "ERR The user executing the script can't access at least one of the keys mentioned in the command "
             "arguments";
    default:
      return "ERR The user executing the script can't publish to the channel mentioned in the command";
  }
}

std::string refusal_in_exec(const Verdict& verdict) {
  std::string text =
      "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This command is "
      "no longer allowed for the following reason: ";
  switch (verdict.refused) {
    case Refused::command:
      return text + "no permission to execute the command or subcommand";
    case Refused::key:
      return text + "no permission to touch the specified keys";
    default:
      return text + "no permission to access one of the channels used as arguments";
  }
}

}  // namespace fairlane::command
