// SPDX-License-Identifier: Apache-2.0

internal import NetworkAccessibility
internal import SettingsModel

/// Asks the service for the months of the app on the page, and again when it has used more.
@MainActor
final class UsageReader {
    /// What tells that an answer is old.
    private struct Question: Hashable {
        let id: String
        let used: UInt64?
        let present: CalendarMonth
    }

    private let settings: AccessSettings
    private let changed: @MainActor () -> Void
    private var question: Question?
    private var answer: (id: String, history: UsageHistory)?

    /// - Parameters:
    ///   - settings: who is asked.
    ///   - changed: is called when there is an answer.
    init(_ settings: AccessSettings, changed: @escaping @MainActor () -> Void) {
        self.settings = settings
        self.changed = changed
    }

    /// What an app has used, as far as it is known by now.
    ///
    /// - Parameters:
    ///   - id: the app.
    ///   - used: what the service has said last of the present month.
    /// - Returns: nil until there is an answer, and from a service that does not count.
    func history(of id: String, used: UInt64?) -> UsageHistory? {
        let question = Question(id: id, used: used, present: .present)
        if question != self.question {
            self.question = question
            ask(question)
        }
        return answer.flatMap { $0.id == id ? $0.history : nil }
    }

    private func ask(_ question: Question) {
        let settings = settings
        Task.detached { [weak self] in
            var months: [UsageHistory.Amount] = []
            for month in UsageHistory.months(until: question.present) {
                guard let traffic = try? await settings.usage(ofApp: question.id, in: month) else {
                    return MainLoop.post { self?.forget(question) }
                }
                months.append(UsageHistory.Amount(month, traffic))
            }
            let history = UsageHistory(months)
            MainLoop.post { self?.receive(history, question) }
        }
    }

    /// It is asked again with the next news of the service.
    private func forget(_ question: Question) {
        if question == self.question { self.question = nil }
    }

    private func receive(_ history: UsageHistory, _ question: Question) {
        guard question == self.question else { return }
        answer = (question.id, history)
        changed()
    }
}
