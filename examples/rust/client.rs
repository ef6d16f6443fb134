// Calls Start before it listens: a match rule alone hears nothing, since the service tells each app alone.
// SPDX-License-Identifier: Apache-2.0
//
// Build: cargo build (.cargo/config.toml takes the crates from Debian's librust-dbus-dev, without a network)
// The system bus, or the one in DBUS_SYSTEM_BUS_ADDRESS.

use dbus::arg::{PropMap, RefArg};
use dbus::blocking::Connection;
use dbus::message::MatchRule;
use std::time::Duration;

const NAME: &str = "org.example.NetworkAccessibility";
const PATH: &str = "/org/example/NetworkAccessibility";

type View = (String, bool, String, PropMap);

fn show((state, reachable, reason, details): View) {
    let transport = details.get("Transport").and_then(|value| value.as_str()).unwrap_or("");
    let reachable = if reachable { "reachable" } else { "not reachable" };
    println!("{state} {reachable} {reason} {transport}");
}

fn start(bus: &Connection) -> Result<(), dbus::Error> {
    let service = bus.with_proxy(NAME, PATH, Duration::from_secs(25));
    show(service.method_call(NAME, "Start", ())?);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bus = Connection::new_system()?;
    bus.add_match(MatchRule::new_signal(NAME, "StateChanged").with_path(PATH), |view: View, _, _| {
        show(view);
        true
    })?;
    // A service that has been started again knows nothing of those who listened to the one before.
    let mut owners = MatchRule::new_signal("org.freedesktop.DBus", "NameOwnerChanged");
    owners.sender = Some("org.freedesktop.DBus".into());
    bus.add_match(owners, |(name, _, owner): (String, String, String), bus, _| {
        if name == NAME && !owner.is_empty() {
            if let Err(error) = start(bus) {
                eprintln!("{error}");
            }
        }
        true
    })?;
    start(&bus)?;
    loop {
        bus.process(Duration::from_secs(3600))?;
    }
}
