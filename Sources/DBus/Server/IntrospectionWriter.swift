// SPDX-License-Identifier: Apache-2.0

public import EventLoop

/// Writes the introspection data of the specification from tables.
@Loop
public enum IntrospectionWriter {
    private static let documentType = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

        """

    /// The document for one object.
    ///
    /// - Parameters:
    ///   - interfaces: its tables.
    ///   - children: the names of the next elements below it.
    /// - Returns: XML.
    public static func node(_ interfaces: [Interface], children: [String] = []) -> String {
        let body = interfaces.map(element) + children.map { XML("node", [("name", $0)]) }
        return documentType + XML("node", [], body).text(indent: "")
    }

    private static func element(_ interface: Interface) -> XML {
        XML(
            "interface", [("name", interface.name.text)],
            interface.methods.map(element) + interface.properties.map(element) + interface.signals.map(element)
                + interface.annotations.map(element))
    }

    private static func element(_ method: Method) -> XML {
        XML(
            "method", [("name", method.name.text)],
            method.inputs.map { element($0, direction: "in") } + method.outputs.map { element($0, direction: "out") }
                + method.annotations.map(element))
    }

    private static func element(_ signal: SignalDescription) -> XML {
        XML(
            "signal", [("name", signal.name.text)],
            signal.arguments.map { element($0, direction: nil) } + signal.annotations.map(element))
    }

    private static func element(_ argument: Argument, direction: String?) -> XML {
        var attributes = [("name", argument.name), ("type", argument.type.text)]
        if let direction { attributes.append(("direction", direction)) }
        return XML("arg", attributes, argument.annotations.map(element))
    }

    private static func element(_ property: Property) -> XML {
        // `true` is what the specification assumes without the annotation; it is said all the same, for the reader.
        let emits = Annotation("org.freedesktop.DBus.Property.EmitsChangedSignal", property.changeSignal.rawValue)
        return XML(
            "property", [("name", property.name.text), ("type", property.type.text), ("access", "read")],
            ([emits] + property.annotations).map(element))
    }

    private static func element(_ annotation: Annotation) -> XML {
        XML("annotation", [("name", annotation.name), ("value", annotation.value)])
    }
}

/// An element with attributes; names in D-Bus need no escaping, values of annotations may.
private struct XML {
    let name: String
    let attributes: [(String, String)]
    let children: [XML]

    init(_ name: String, _ attributes: [(String, String)], _ children: [XML] = []) {
        self.name = name
        self.attributes = attributes
        self.children = children
    }

    func text(indent: String) -> String {
        let start = indent + "<" + name + attributes.map { " \($0)=\"\(Self.escaped($1))\"" }.joined()
        guard !children.isEmpty else { return start + "/>\n" }
        return start + ">\n" + children.map { $0.text(indent: indent + "  ") }.joined() + indent + "</\(name)>\n"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
