// SPDX-License-Identifier: Apache-2.0

/// What the window itself says.
public enum Phrases {
    /// The name of the program.
    public static var title: String { translated("Network Access") }
    /// Stands above the apps.
    public static var apps: String { translated("Apps") }
    /// The button and the field of the search.
    public static var search: String { translated("Search Apps") }
    /// The way from a page to the list.
    public static var back: String { translated("Back") }
    /// In the place of the apps, if there are none.
    public static var noApps: String { translated("No Apps Yet") }
    /// What to do then.
    public static var noAppsHint: String {
        translated("An app appears here when it asks whether it may use the network.")
    }
    /// In the place of the apps, if the search finds none.
    public static var nothingFound: String { translated("No Apps Found") }
    /// What to do then.
    public static var nothingFoundHint: String { translated("Try another name.") }
    /// Before the first answer of the service.
    public static var starting: String { translated("Looking at the Network…") }
    /// Without a service.
    public static var noService: String { translated("The Service Is Not Running") }
    /// What to do then; the command stands below.
    public static var noServiceHint: String {
        translated(
            "Without it every app may use every network. Start it, for example by this command; this window goes on by itself then."
        )
    }
    /// The help of the option `--app`.
    public static var optionHelp: String { translated("Open at an app") }
    /// The value of that option in the help.
    public static var optionArgument: String { translated("ID") }
    /// The help of the option `--version`.
    public static var versionHelp: String { translated("Show the version") }
}
