// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import EventLoop

/// The interfaces that every object has, as tables like any other.
@Loop
final class StandardInterfaces {
    /// Those of an object.
    let ofObjects: [Interface]
    /// Those of an object that manages others.
    let ofManagers: [Interface]
    /// Those of a path that only leads to objects.
    let ofFolders: [Interface]

    init(of server: ObjectServer) {
        let walking = [Self.introspectable(of: server), Self.peer]
        ofFolders = walking
        ofObjects = [Self.properties(of: server)] + walking
        ofManagers = ofObjects + [Self.objectManager(of: server)]
    }

    private static func properties(of server: ObjectServer) -> Interface {
        Interface(
            .properties,
            methods: [
                Method(
                    "Get", inputs: [Argument("interface_name", .string), Argument("property_name", .string)],
                    outputs: [Argument("value", .variant)], access: .everyone,
                    body: .now { [unowned server] request throws(ErrorReply) in
                        let property = try property(server, request)
                        return [.variant(try value(property, request))]
                    }),
                Method(
                    "GetAll", inputs: [Argument("interface_name", .string)],
                    outputs: [Argument("props", .vardict)], access: .everyone,
                    body: .now { [unowned server] request throws(ErrorReply) in
                        [try allProperties(server, request)]
                    }),
                Method(
                    "Set",
                    inputs: [
                        Argument("interface_name", .string), Argument("property_name", .string),
                        Argument("value", .variant),
                    ], access: .everyone,
                    body: .now { [unowned server] request throws(ErrorReply) in
                        let property = try property(server, request)
                        throw ErrorReply(.propertyReadOnly, "The property \"\(property.name)\" cannot be written.")
                    }),
            ],
            signals: [
                SignalDescription(
                    "PropertiesChanged",
                    [
                        Argument("interface_name", .string), Argument("changed_properties", .vardict),
                        Argument("invalidated_properties", .array(.string)),
                    ])
            ])
    }

    private static func property(_ server: ObjectServer, _ request: Request) throws(ErrorReply) -> Property {
        let (interface, name) = (request.string(0), request.string(1))
        for table in try tables(named: interface, server, request) {
            if let property = table.property(named: name) { return property }
        }
        throw ErrorReply(.unknownProperty, "There is no property \"\(name)\".")
    }

    /// The specification lets a caller leave the interface empty, which means all of them.
    private static func tables(
        named interface: String, _ server: ObjectServer, _ request: Request
    ) throws(ErrorReply) -> ArraySlice<Interface> {
        if interface.isEmpty { return request.interfaces[...] }
        if let index = request.interfaces.index(ofName: interface) { return request.interfaces[index...index] }
        // The standard interfaces have no properties, but asking for them is no mistake.
        if try server.interfaces(at: request.path, for: request.sender).index(ofName: interface) != nil { return [] }
        throw ErrorReply(.unknownInterface, "The object has no interface \"\(interface)\".")
    }

    private static func value(_ property: Property, _ request: Request) throws(ErrorReply) -> Value {
        switch property.access {
        case .everyone: break
        case .checked(let check): try check(request)
        case .authorized: throw ErrorReply(.accessDenied, "The property cannot be read.")
        }
        let value = try property.get(request)
        guard value.hasType(property.type) else { throw ErrorReply(.failed, "The property has no proper value.") }
        return value
    }

    private static func allProperties(_ server: ObjectServer, _ request: Request) throws(ErrorReply) -> Value {
        var entries: [(String, Value)] = []
        for table in try tables(named: request.string(0), server, request) {
            for property in table.properties {
                // As in other services, what the caller may not read is left out.
                if let value = try? value(property, request) { entries.append((property.name.text, value)) }
            }
        }
        return .vardict(entries)
    }

    private static var peer: Interface {
        Interface(
            .peer,
            methods: [
                Method("Ping", access: .everyone, body: .now { _ in [] }),
                Method(
                    "GetMachineId", outputs: [Argument("machine_uuid", .string)], access: .everyone,
                    body: .now { _ throws(ErrorReply) in
                        // Read by libdbus from /etc/machine-id or its own file.
                        guard let text = dbus_try_get_local_machine_id(nil) else {
                            throw ErrorReply(.failed, "The machine has no id.")
                        }
                        defer { dbus_free(text) }
                        return [.string(String(cString: text))]
                    }),
            ])
    }

    private static func introspectable(of server: ObjectServer) -> Interface {
        Interface(
            .introspectable,
            methods: [
                Method(
                    "Introspect", outputs: [Argument("xml_data", .string)], access: .everyone,
                    body: .now { [unowned server] request throws(ErrorReply) in
                        let interfaces = try server.interfaces(at: request.path, for: request.sender)
                        let children = server.children(of: request.path, for: request.sender)
                        return [.string(IntrospectionWriter.node(interfaces, children: children))]
                    })
            ])
    }

    private static func objectManager(of server: ObjectServer) -> Interface {
        let objectType = ValueType.dictionary(key: .string, value: .vardict)
        return Interface(
            .objectManager,
            methods: [
                Method(
                    "GetManagedObjects",
                    outputs: [Argument("objects", .dictionary(key: .objectPath, value: objectType))],
                    access: .everyone,
                    body: .now { [unowned server] request throws(ErrorReply) in
                        let paths = server.managedObjects(of: request.path, for: request.sender)
                        let entries = paths.map { path in
                            DictionaryEntry(
                                key: .objectPath(path), value: interfacesAndProperties(of: path, server, request))
                        }
                        return [.dictionary(key: .objectPath, value: objectType, entries)]
                    })
            ],
            signals: [
                SignalDescription(
                    "InterfacesAdded",
                    [Argument("object", .objectPath), Argument("interfaces", objectType)]),
                SignalDescription(
                    "InterfacesRemoved",
                    [Argument("object", .objectPath), Argument("interfaces", .array(.string))]),
            ])
    }

    private static func interfacesAndProperties(
        of path: ObjectPath, _ server: ObjectServer, _ request: Request
    ) -> Value {
        let tables = server.interfaces(ofManaged: path, for: request.sender)
        let entries = tables.map { table in
            let inner = Request(
                sender: request.sender, path: path, interfaces: tables, arguments: [.string(table.name.text)],
                allowsInteraction: request.allowsInteraction)
            let properties = (try? allProperties(server, inner)) ?? .vardict([])
            return DictionaryEntry(key: .string(table.name.text), value: properties)
        }
        return .dictionary(key: .string, value: .vardict, entries)
    }
}
