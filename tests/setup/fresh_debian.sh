#!/usr/bin/env bash
# tests/setup/fresh_debian.sh FOLDER: makes a bare Debian 12 in FOLDER (debootstrap, as root), clones the committed tree
# into it and runs both commands of the README there: the server is started, asked and stopped; then all tests.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
root=$(realpath -m "$1")
# The mirror this machine uses: sources in the one-line form or in the deb822 form.
mirror=$({ cat /etc/apt/sources.list{,.d/*.list,.d/*.sources} 2>/dev/null || true; } |
  sed -n 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) bookworm .*/\2/p; s/^URIs: *//p' | sed 1q)

if [ ! -x "$root/usr/bin/apt-get" ]; then
  debootstrap --variant=minbase bookworm "$root" "$mirror"
fi
for file in resolv.conf hosts; do cp -L "/etc/$file" "$root/etc/$file" 2>/dev/null || true; done
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
for at in proc dev; do mountpoint -q "$root/$at" || mount --rbind "/$at" "$root/$at"; done
unmount() { for at in proc dev; do umount -R -l "$root/$at" || true; done; }
trap unmount EXIT

rm -rf "$root/fairlane"
mkdir "$root/fairlane"
git -C "$here" archive HEAD | tar -x -C "$root/fairlane"

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "${proxy[@]}" "$@"; }
# What the way to the network needs on this machine: a proxy, a certificate of its own.
cp -L /etc/ssl/certs/ca-certificates.crt "$root/machine-certificates.crt" 2>/dev/null || true
proxy=(NODE_EXTRA_CA_CERTS=/machine-certificates.crt)
for name in http_proxy https_proxy HTTP_PROXY HTTPS_PROXY; do
  [ -z "${!name:-}" ] || proxy+=("$name=${!name}")
done

port=$((20000 + RANDOM % 12000))
inside sh -c "cd /fairlane && .ci/start --port $port" >"$root/start.log" 2>&1 &
starter=$!
for _ in $(seq 1200); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
  kill -0 "$starter" 2>/dev/null || { tail -30 "$root/start.log"; exit 1; }
  sleep 0.5
done
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'PING\r\n' >&3
read -r answer <&3
echo "first command: the server answers ${answer%$'\r'}"
printf 'SHUTDOWN\r\n' >&3
wait "$starter" || true

inside sh -c 'cd /fairlane && .ci/test' | tee "$root/test.log" | tail -5
