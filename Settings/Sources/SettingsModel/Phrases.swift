// SPDX-License-Identifier: Apache-2.0

/// What the window itself says.
public enum Phrases {
    public static var title: String { translated("Network Access") }
    public static var apps: String { translated("Apps") }
    public static var search: String { translated("Search Apps") }
    public static var back: String { translated("Back") }
    public static var noApps: String { translated("No Apps Yet") }
    public static var noAppsHint: String {
        translated("An app appears here when it asks whether it may use the network.")
    }
    public static var nothingFound: String { translated("No Apps Found") }
    public static var nothingFoundHint: String { translated("Try another name.") }
    public static var starting: String { translated("Looking at the Network…") }
    public static var noService: String { translated("The Service Is Not Running") }
    public static var noServiceHint: String {
        translated(
            "Without it every app may use every network. Start it, for example by this command; this window goes on by itself then."
        )
    }
    /// The help of the option `--app`.
    public static var optionHelp: String { translated("Open at an app") }
    /// The placeholder of an app id in the help.
    public static var optionArgument: String { translated("ID") }
}
