// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NetworkSources

/// The strings at the outermost level of a text in JSON.
@Suite
struct PlainJSONTests {
    @Test(
        arguments: [
            (#"{}"#, [:]), (" \n\r\t{ } ", [:]), (#"{"a":"b"}"#, ["a": "b"]),
            (#"{ "a" : "b" , "c" : "d" }"#, ["a": "b", "c": "d"]), (#"{"a":"b","a":"c"}"#, ["a": "c"]),
            (#"{"":""}"#, ["": ""]), (#"{"ä":"ö"}"#, ["ä": "ö"]),
            (#"{"a":1,"b":null,"c":true,"d":-1.5e3,"e":"f"}"#, ["e": "f"]),
            (#"{"n":{"a":"b","m":{"c":"d"}},"e":"f"}"#, ["e": "f"]),
            (#"{"n":["a","b",["c"],{"d":"e"}],"e":"f"}"#, ["e": "f"]),
            (#"{"n":["}","]"],"m":{"{":"["},"e":"f"}"#, ["e": "f"]), (#"{"e":",:{}[]"}"#, ["e": ",:{}[]"]),
            (#"{"a\n":"b","c":"\"d\"","e":"f"}"#, ["e": "f"]), (#"{"a":"\\","e":"f"}"#, ["e": "f"]),
            (#"{"a":["\\","\""],"e":"f"}"#, ["e": "f"]), (#"{"a":"b"} and more"#, ["a": "b"]),
        ] as [(String, [String: String])])
    func `members that are strings are read`(text: String, strings: [String: String]) {
        #expect(PlainJSON(text)?.strings == strings)
    }

    @Test(arguments: [
        "", " ", "a", "7", "null", #""a""#, #"["a"]"#, "{", #"{"a"#, #"{"a":"#, #"{"a":"b"#, #"{"a":"b""#,
        #"{"a":"b\"}"#,
        #"{"a":["b"}"#, "}", "]", "{]", #"a{"b":"c"}"#,
    ])
    func `what is no object, or does not end, is not read`(text: String) {
        #expect(PlainJSON(text) == nil)
    }

    @Test func `depth costs nothing`() {
        let depth = 50_000
        let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(PlainJSON(#"{"a":\#(nested),"b":"c"}"#)?.strings == ["b": "c"])
    }
}
