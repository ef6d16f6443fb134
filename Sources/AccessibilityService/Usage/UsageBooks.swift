// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import EventLoop
internal import PolicyStore

/// What each app has sent and received, in memory and on the disk.
///
/// A book is a person's month. It is read when somebody asks for it or it grows, and kept as long as it is the present month's, or is not stored.
@Loop
final class UsageBooks {
    private struct Key: Hashable {
        let uid: UInt32
        let month: CalendarMonth
    }

    private struct Book {
        /// All that is known.
        var usage: UsageMonth
        /// False while the file could not be read: then it holds more, and is not written.
        var isRead: Bool
        /// True if there is something that is not on the disk.
        var isDirty = false
    }

    private let store: UsageStore
    private let log: Log
    private var books: [Key: Book] = [:]
    /// What was said last of a book that cannot be read or written, so that it is said once.
    private var complaints: [Key: String] = [:]

    init(_ store: UsageStore, log: Log) {
        self.store = store
        self.log = log
    }

    /// Adds to the account of an app.
    func add(_ traffic: Traffic, of app: App, on day: CalendarDay) {
        let key = Key(uid: app.uid, month: day.month)
        var book = book(key)
        book.usage.add(traffic, of: app.id, on: day.day)
        book.isDirty = true
        books[key] = book
    }

    /// A month of a person.
    ///
    /// - Parameters:
    ///   - uid: the person.
    ///   - month: which one.
    ///   - isKept: whether it is likely to be asked for again.
    /// - Returns: empty if nothing was counted.
    func usage(of uid: UInt32, in month: CalendarMonth, isKept: Bool) -> UsageMonth {
        let key = Key(uid: uid, month: month)
        if let book = books[key] { return book.usage }
        let book = book(key)
        if isKept { books[key] = book }
        return book.usage
    }

    /// Puts everything on the disk that is not there; what cannot be stored stays in memory and is tried again.
    ///
    /// - Parameter month: the present one; of others nothing is kept that is stored.
    func save(keeping month: CalendarMonth) {
        for key in books.keys {
            guard var book = books[key] else { continue }
            if book.isDirty { save(&book, key) }
            books[key] = book.isDirty || key.month == month ? book : nil
        }
    }

    private func save(_ book: inout Book, _ key: Key) {
        if !book.isRead, let stored = read(key) {
            var whole = stored
            whole.add(book.usage)
            book = Book(usage: whole, isRead: true, isDirty: true)
        }
        guard book.isRead else { return }
        do throws(SystemError) {
            try store.save(book.usage, of: key.uid)
            book.isDirty = false
            complaints[key] = nil
        } catch {
            complain("the usage of \(key.uid) cannot be stored: \(error)", key)
        }
    }

    private func book(_ key: Key) -> Book {
        if let book = books[key] { return book }
        let stored = read(key)
        return Book(usage: stored ?? UsageMonth(key.month), isRead: stored != nil)
    }

    private func read(_ key: Key) -> UsageMonth? {
        do throws(SystemError) {
            return try store.load(key.month, of: key.uid) { log(.warning, "\($0)") }
        } catch {
            complain("the usage of \(key.uid) cannot be read, and is not overwritten: \(error)", key)
            return nil
        }
    }

    private func complain(_ text: String, _ key: Key) {
        guard complaints[key] != text else { return }
        complaints[key] = text
        log(.error, text)
    }
}
