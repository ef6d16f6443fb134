// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import Glibc

extension CalendarDay {
    /// The day now, by the clock of the machine and in its time zone: months are those of the person's contract.
    static var today: CalendarDay {
        var now = time(nil)
        var parts = tm()
        // localtime_r(3) need not notice that the zone has changed.
        tzset()
        localtime_r(&now, &parts)
        let month = CalendarMonth(year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1)
        return CalendarDay(month, Int(parts.tm_mday))
    }
}
