// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop

/// What the person has on the screen: of each app an alert or a question.
@Loop
final class Screen {
    /// One of them, from the moment it is wanted; it may get to the screen later.
    final class Note {
        let appID: String
        let isQuestion: Bool
        /// Waits for the answer to a question.
        private var answered: CheckedContinuation<Policy?, Never>?
        /// The server's number for it, or for the one whose place it is to take.
        fileprivate var id: UInt32?
        /// Lets a window come to the front, once the person has acted.
        fileprivate var token: String?

        fileprivate init(_ appID: String, _ answered: CheckedContinuation<Policy?, Never>? = nil) {
            self.appID = appID
            isQuestion = answered != nil
            self.answered = answered
        }

        fileprivate func answer(_ policy: Policy?) {
            answered?.resume(returning: policy)
            answered = nil
        }
    }

    /// Gets the app whose alert the person has closed.
    var dismissed: (@Loop (String) -> Void)?

    private let server: NotificationServer
    private let settings: SettingsOpener
    private var notes: [String: Note] = [:]

    init(_ server: NotificationServer, _ settings: SettingsOpener) {
        self.server = server
        self.settings = settings
        server.acted = { [unowned self] in acted($0, $1) }
        server.activated = { [unowned self] id, token in note(id)?.token = token }
        server.closed = { [unowned self] in closed($0) }
    }

    // MARK: Showing

    /// Shows an alert, in the place of what is shown of the app.
    func show(_ alert: Alert, of appID: String) {
        let note = Note(appID)
        put(note)
        Loop.task { [self] in
            let capabilities = await server.capabilities()
            let hasSettings = capabilities.hasActions ? await settings.isAvailable : false
            show(Notice(alert, of: AppFace(id: appID), capabilities, hasSettings: hasSettings), note)
        }
    }

    /// Asks what an app may use.
    ///
    /// - Parameter appID: the app.
    /// - Returns: nil if there is no answer and will be none; at once if nobody could answer.
    func ask(about appID: String) async -> Policy? {
        let capabilities = await server.capabilities()
        guard let notice = Notice(askingAbout: AppFace(id: appID), capabilities) else { return nil }
        return await withCheckedContinuation { continuation in
            let note = Note(appID, continuation)
            put(note)
            show(notice, note)
        }
    }

    /// Lets a note take the place of an earlier one of the same app.
    private func put(_ note: Note) {
        let old = notes.updateValue(note, forKey: note.appID)
        old?.answer(nil)
        note.id = old?.id
    }

    private func show(_ notice: Notice, _ note: Note) {
        // It may have been taken back, or replaced, before it came to the screen.
        guard notes[note.appID] === note else { return note.answer(nil) }
        server.show(notice, replacing: note.id) { [self] id in
            note.id = id
            guard let id else { return note.answer(nil) }
            let present = notes[note.appID]
            if present !== note, present?.id != id { server.close(id) }
        }
    }

    // MARK: Taking back

    /// Takes away what is shown of an app.
    func cancel(_ appID: String) {
        if let note = notes.removeValue(forKey: appID) { cancel([note]) }
    }

    /// Takes everything away.
    func cancelAll() {
        cancel(takeAll())
    }

    /// Forgets everything, which is to be cancelled soon.
    func takeAll() -> [Note] {
        defer { notes = [:] }
        return Array(notes.values)
    }

    /// The server is another one, to which the numbers of the last one mean nothing.
    func forgetNumbers() {
        for note in notes.values { note.id = nil }
    }

    /// Takes notes away that are forgotten already.
    func cancel(_ stale: [Note]) {
        for note in stale {
            if let id = note.id { server.close(id) }
            note.answer(nil)
        }
    }

    // MARK: What the person does

    private func note(_ id: UInt32) -> Note? {
        notes.values.first { $0.id == id }
    }

    private func acted(_ id: UInt32, _ key: String) {
        guard let note = note(id) else { return }
        if note.isQuestion {
            note.answer(Policy(word: key))
        } else if key == Notice.settings {
            Loop.task { [self] in await openSettings(for: note) }
        }
        // Most servers close it by themselves.
        server.close(id)
        closed(id)
    }

    private func openSettings(for note: Note) async {
        do throws(CallError) {
            try await settings.open(at: note.appID, token: note.token)
        } catch {
            AgentLog.write("the settings do not open: \(error)")
        }
    }

    private func closed(_ id: UInt32) {
        guard let note = note(id) else { return }
        notes[note.appID] = nil
        if note.isQuestion { note.answer(nil) } else { dismissed?(note.appID) }
    }
}
