# SPDX-License-Identifier: Apache-2.0
#
# Gives the number of a process that has connected to the bus and gone to another process, which is in a unit.
# Runs as the first process of a pid namespace: all others end with it.
# Arguments: the folder with the service, the control group of the innocent process, a folder for files,
# the program that connects.

programs=$1 group=$2 folder=$3 caller=$4
address=unix:path=$folder/bus

dbus-daemon --session --nofork --nopidfile --address="$address" --print-address=1 > "$folder/address" &
until [ -s "$folder/address" ]; do sleep 0.01; done
"$programs/network-accessibilityd" --address="$address" --root="$folder" &
DBUS_SESSION_BUS_ADDRESS=$address gdbus wait --session --timeout 10 org.example.NetworkAccessibility

mkfifo "$folder/go"
/usr/bin/python3 "$caller" "$address" < "$folder/go" > "$folder/answer" &
gone=$!
exec 3> "$folder/go"
wait $gone
# In an earlier tick of the clock of process start times a connection is not told from a later process.
sleep 0.1

# Others may take a number in between.
for _ in 1 2 3 4 5; do
    echo $((gone - 1)) > /proc/sys/kernel/ns_last_pid
    sleep 1000 &
    [ $! = $gone ] && break
done
[ $! = $gone ] && echo recycled
echo $! > "$group/cgroup.procs"

echo go >&3
until [ -s "$folder/answer" ]; do sleep 0.01; done
cat "$folder/answer"
