#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the real NetworkManager for a network namespace, on a bus of the test's own:
#
#     networkmanager.sh NAMESPACE BUS-ADDRESS FOLDER [CONFIGURATION]
#
# FOLDER keeps its state over a restart. CONFIGURATION is added to its configuration file.

set -euo pipefail
if [[ ${INSIDE-} != yes ]]; then
    # "ip netns exec" makes a mount namespace, and mounts the sysfs of the network namespace.
    exec ip netns exec "$1" env INSIDE=yes "$0" "$@"
fi
address=$2
folder=$3

mkdir -p "$folder"/{run,lib,connections,conf.d,system-conf.d} /run/NetworkManager /var/lib/NetworkManager
mount --make-rprivate /
# Where it can write to /sys NetworkManager waits for udev, which knows nothing of this namespace.
mount -o remount,ro /sys
mount --bind "$folder/run" /run/NetworkManager
mount --bind "$folder/lib" /var/lib/NetworkManager
cat > "$folder/NetworkManager.conf" << CONFIGURATION
[main]
plugins=keyfile
no-auto-default=*
dns=none
rc-manager=unmanaged
systemd-resolved=false
dhcp=internal
auth-polkit=false
[keyfile]
path=$folder/connections
[device-quick-unplug]
match-device=type:ethernet
carrier-wait-timeout=200
[connectivity]
enabled=true
uri=http://192.0.2.2:8080/check
response=NetworkManager is online
interval=300
[logging]
level=INFO
${4-}
CONFIGURATION
export DBUS_SYSTEM_BUS_ADDRESS=$address
exec NetworkManager --debug --config="$folder/NetworkManager.conf" --config-dir="$folder/conf.d" \
    --system-config-dir="$folder/system-conf.d" --intern-config="$folder/intern.conf" --state-file="$folder/state" \
    --pid-file="$folder/pid"
