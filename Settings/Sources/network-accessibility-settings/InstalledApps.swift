// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import SettingsModel

/// How the installed apps look, by their desktop files.
@MainActor
final class InstalledApps {
    private let monitor: OpaquePointer = g_app_info_monitor_get()
    private var faces: [String: AppFace]?

    /// - Parameter changed: is called when apps have come, gone or got another name.
    init(changed: @escaping @MainActor () -> Void) {
        connect(UnsafeMutableRawPointer(monitor), "changed") { [weak self] _ in
            self?.faces = nil
            changed()
        }
    }

    /// How an app looks.
    ///
    /// - Parameter id: as the service knows it: the name of the desktop file without its ending.
    /// - Returns: nil if no such app is installed.
    func face(of id: String) -> AppFace? {
        let faces = faces ?? Self.read()
        self.faces = faces
        return faces[id]
    }

    private static func read() -> [String: AppFace] {
        let list = g_app_info_get_all()
        defer { g_list_free_full(list, g_object_unref) }
        var faces: [String: AppFace] = [:]
        var next = list
        while let element = next?.pointee {
            next = element.next
            guard let info = element.data.map({ OpaquePointer($0) }), let file = g_app_info_get_id(info),
                let name = g_app_info_get_display_name(info)
            else { continue }
            let icon = g_app_info_get_icon(info).flatMap { g_icon_to_string($0) }
            defer { g_free(icon) }
            let id = String(cString: file)
            faces[id.hasSuffix(".desktop") ? String(id.dropLast(8)) : id] = AppFace(
                name: String(cString: name), icon: icon.map { String(cString: $0) })
        }
        return faces
    }
}
