// SPDX-License-Identifier: Apache-2.0

extension BusName {
    /// The bus itself.
    public static let bus: BusName = "org.freedesktop.DBus"
}

extension ObjectPath {
    /// The object of the bus itself.
    public static let bus: ObjectPath = "/org/freedesktop/DBus"
}

extension InterfaceName {
    /// The interface of the bus itself.
    public static let bus: InterfaceName = "org.freedesktop.DBus"
    /// `Get`, `GetAll`, `Set`, `PropertiesChanged`.
    public static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
    /// `Introspect`.
    public static let introspectable: InterfaceName = "org.freedesktop.DBus.Introspectable"
    /// `Ping`, `GetMachineId`.
    public static let peer: InterfaceName = "org.freedesktop.DBus.Peer"
    /// `GetManagedObjects`, `InterfacesAdded`, `InterfacesRemoved`.
    public static let objectManager: InterfaceName = "org.freedesktop.DBus.ObjectManager"
}

extension ErrorName {
    /// A failure that no other name describes.
    public static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
    /// Not enough memory.
    public static let noMemory: ErrorName = "org.freedesktop.DBus.Error.NoMemory"
    /// The caller may not do this.
    public static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
    /// The arguments are not what the member takes.
    public static let invalidArguments: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
    /// There is no object at the path.
    public static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
    /// The object has no such interface.
    public static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
    /// The interface has no such method.
    public static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
    /// The interface has no such property.
    public static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
    /// The property cannot be written.
    public static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
    /// A limit is used up.
    public static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
    /// No answer came in time.
    public static let noReply: ErrorName = "org.freedesktop.DBus.Error.NoReply"
    /// Nobody owns the name, and nobody can be started for it.
    public static let serviceUnknown: ErrorName = "org.freedesktop.DBus.Error.ServiceUnknown"
    /// Nobody owns the name.
    public static let nameHasNoOwner: ErrorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
}
