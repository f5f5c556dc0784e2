#include "command/options/table.hpp"

namespace fairlane::command {
namespace {

using namespace rows;

constexpr std::string_view kAskForCertificate[] = {"no", "yes", "optional"};

constexpr Option kRows[] = {
    integer("tls-port", "0", 0, kPortMost, "TLS port; 0 is none (kept; TLS is not supported)."),
    text("tls-cert-file", "", "Certificate of the server (kept)."),
    text("tls-key-file", "", "Private key of the server (kept)."),
    text("tls-key-file-pass", "", "Password of that key (kept).", nullptr, OptionFlag::secret),
    text("tls-client-cert-file", "", "Certificate for outgoing connections (kept)."),
    text("tls-client-key-file", "", "Private key for outgoing connections (kept)."),
    text("tls-client-key-file-pass", "", "Password of that key (kept).", nullptr, OptionFlag::secret),
    text("tls-dh-params-file", "", "Diffie-Hellman parameters (kept)."),
    text("tls-ca-cert-file", "", "Certificates that are trusted (kept)."),
    text("tls-ca-cert-dir", "", "Directory of certificates that are trusted (kept)."),
    choice("tls-auth-clients", "yes", kAskForCertificate, "Whether clients show a certificate (kept)."),
    boolean("tls-replication", "no", "Uses TLS between master and replica (kept)."),
    boolean("tls-cluster", "no", "Uses TLS on the cluster bus (kept)."),
    text("tls-protocols", "", "Protocol versions that are allowed (kept)."),
    text("tls-ciphers", "", "Ciphers up to TLS 1.2 (kept)."),
    text("tls-ciphersuites", "", "Ciphers of TLS 1.3 (kept)."),
    boolean("tls-prefer-server-ciphers", "no", "Lets the server choose the cipher (kept)."),
    boolean("tls-session-caching", "yes", "Caches sessions (kept)."),
    integer("tls-session-cache-size", "20480", 0, kIntMost, "Sessions in the cache (kept)."),
    integer("tls-session-cache-timeout", "300", 0, kIntMost, "Seconds that a session is cached (kept)."),
};

}  // namespace

OptionSection tls_options() { return {"TLS", kRows}; }

}  // namespace fairlane::command
