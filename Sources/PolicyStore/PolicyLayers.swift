// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel

/// The policy files of one layer.
typealias PolicyFolder = ConfigurationFolder<PolicyFile>

/// The directories of the three layers, and how their files become rules.
struct PolicyLayers {
    private var vendor: PolicyFolder
    private var admin: PolicyFolder
    private var persons: PolicyFolder

    /// Starts without files.
    ///
    /// - Parameter root: stands before the paths.
    init(root: String) {
        vendor = PolicyFolder(root + "/usr/lib/network-accessibility/policy.d", kind: .vendor)
        admin = PolicyFolder(root + "/etc/network-accessibility/policy.d", kind: .admin)
        persons = PolicyFolder(root + "/var/lib/network-accessibility/users", kind: .person)
    }

    /// Where the persons' files are.
    var personsDirectory: String { persons.path }

    /// The directories.
    var directories: Set<String> {
        [vendor.path, admin.path, persons.path]
    }

    /// The files that are symbolic links, so that a change at their ends is no change in a directory.
    var linkedPaths: Set<String> {
        vendor.linkedPaths.union(admin.linkedPaths).union(persons.linkedPaths)
    }

    /// What is to be read again after a while.
    var latePaths: Set<String> {
        vendor.latePaths.union(admin.latePaths).union(persons.latePaths)
    }

    /// Reads what has changed.
    ///
    /// - Parameter paths: the directories and linked files in which something may have.
    mutating func refresh(_ paths: Set<String>) {
        vendor.refresh(ifConcernedBy: paths)
        admin.refresh(ifConcernedBy: paths)
        persons.refresh(ifConcernedBy: paths)
    }

    /// Takes in a person's file that has just been written, before the refresh that finds it.
    mutating func adopt(_ written: WrittenFile) {
        persons.adopt(written) { contents in
            for change in written.changes { contents.apply(change) }
        }
    }

    /// What the files say.
    var rules: PolicyRules {
        PolicyRules(
            vendor: Self.merged(countingVendorFiles), admin: Self.merged(admin.orderedFiles), persons: personLayers)
    }

    /// What is wrong with the directories and the files that count.
    var problems: [Problem] {
        let files = countingVendorFiles + admin.orderedFiles + persons.orderedFiles
        return vendor.problems + admin.problems + persons.problems
            + files.flatMap(\.file.problems)
    }

    /// How many files count.
    var fileCount: Int {
        countingVendorFiles.count + admin.files.count + persons.files.count
    }

    /// The rule, or else default, that is the word of a layer on an app; nil without one.
    func place(deciding app: App, _ origin: PolicyOrigin) -> PolicyPlace? {
        let (folder, files): (PolicyFolder, [PolicyFolder.NamedFile])
        switch origin {
        case .vendor: (folder, files) = (vendor, countingVendorFiles)
        case .admin, .locked: (folder, files) = (admin, admin.orderedFiles)
        case .person: (folder, files) = (persons, persons.orderedFiles.filter { $0.name == "\(app.uid).conf" })
        case .default, .sandbox: return nil
        }
        // Any rule for the app beats any default, and the last file counts.
        let rule = files.last { app.isIdentified && $0.file.contents?.layer.rules[app.id] != nil }
        let deciding = rule ?? files.last { $0.file.contents?.layer.defaultRule != nil }
        return deciding.map { PolicyPlace("\(folder.path)/\($0.name)", isDefault: rule == nil) }
    }

    /// A file of the administrator hides the one of the same name that a package has brought, also if it is empty.
    private var countingVendorFiles: [PolicyFolder.NamedFile] {
        vendor.orderedFiles.filter { admin.files[$0.name] == nil }
    }

    private var personLayers: [UInt32: PolicyLayer] {
        persons.files.reduce(into: [:]) { layers, entry in
            guard let uid = PolicyFolder.uid(of: entry.key), let contents = entry.value.contents else { return }
            layers[uid] = contents.layer
        }
    }

    private static func merged(_ files: [PolicyFolder.NamedFile]) -> PolicyLayer {
        files.reduce(into: PolicyLayer()) { layer, entry in
            if let contents = entry.file.contents { layer.add(later: contents.layer) }
        }
    }
}

extension PolicyLayer {
    /// Adds what the next file of the layer says: its word on an app replaces an earlier one as a whole.
    fileprivate mutating func add(later: PolicyLayer) {
        defaultRule = later.defaultRule ?? defaultRule
        // A dictionary that is taken over whole shares its memory with the file's.
        rules = rules.isEmpty ? later.rules : rules.merging(later.rules) { $1 }
        links = links.isEmpty ? later.links : links.merging(later.links) { $1 }
    }
}

extension PolicyFolder {
    /// Starts without files.
    ///
    /// - Parameters:
    ///   - path: the directory; need not exist.
    ///   - kind: whose files they are.
    fileprivate init(_ path: String, kind: PolicyFile.Kind) {
        let names = kind == .person ? Names.configuration(objection: Self.objectionToPerson) : .configuration()
        self.init(path, names: names) { PolicyFile($0, path: $1, kind: kind) }
    }

    private static func objectionToPerson(_ name: String) -> String? {
        uid(of: name) == nil ? "the name is not UID.conf" : nil
    }

    /// The person whose file has this name; nil unless the number is written in the one canonical way.
    fileprivate static func uid(of name: String) -> UInt32? {
        let digits = name.dropLast(".conf".count)
        // The largest number is (uid_t) -1, which stands for nobody.
        guard let uid = UInt32(digits), uid != UInt32.max, String(uid) == digits else { return nil }
        return uid
    }
}
