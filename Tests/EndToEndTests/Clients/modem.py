#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A modem that speaks the commands of 3GPP TS 27.007, as far as ModemManager needs them.

    modem.py SOCKET

Commands come on standard input: a number, which is the state of registration from now on (1 home, 2 searching, 3 denied,
5 roaming). The modem tells of it unasked, as modems do.
"""
import os
import select
import socket
import sys

# What is only to be acknowledged.
PLAIN = {"AT", "ATE0", "ATV1", "ATX4", "AT&C1", "ATZ"}
SETTINGS = ("AT+CMEE=", "AT+IFC=", "AT+CMGF=", "AT+CREG=", "AT+CGREG=", "AT+CEREG=", "AT+CSCS=\"", "AT+CFUN=", "AT+COPS=0",
            "AT+CGACT=0", "AT+CNMI=")
ANSWERS = {
    "ATI": "Example modem",
    "AT+GCAP": "+GCAP: +CGSM",
    "AT+CGMI": "Example",
    "AT+CGMM": "E-1",
    "AT+CGMR": "1.0",
    "AT+CGSN": "004999010640000",
    "AT+CIMI": "001010123456789",
    "AT+CCID": "+CCID: 8900100000000000001",
    "AT+CRSM=176,12258,0,0,10": '+CRSM: 144,0,"98001000000000000010"',
    "AT+CPIN?": "+CPIN: READY",
    "AT+CFUN?": "+CFUN: 1",
    "AT+WS46=?": "+WS46: (12,22,28)",
    "AT+CSQ": "+CSQ: 20,99",
    "AT+CLCK=?": '+CLCK: ("SC","PN")',
    "AT+CSCS=?": '+CSCS: ("GSM","UCS2")',
    "AT+CSCS?": '+CSCS: "GSM"',
    "AT+CGDCONT=?": '+CGDCONT: (1-4),"IP",,,(0),(0)',
    "AT+CGDCONT?": '+CGDCONT: 1,"IP","","",0,0',
    "AT+CGACT?": "+CGACT: 1,0",
    "AT+COPS=3,2;+COPS?": '+COPS: 0,2,"00101",7',
    "AT+COPS=3,0;+COPS?": '+COPS: 0,0,"Example",7',
}
REGISTRATIONS = ("+CREG", "+CGREG", "+CEREG")
CELL = '"0A01","00000C01",7'


class Modem:
    def __init__(self, path):
        self.registration = 1
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen()
        self.ports = {}
        print("= listening", flush=True)

    def run(self):
        while True:
            for ready in select.select([0, self.listener, *self.ports], [], [])[0]:
                if ready == 0:
                    self.command()
                elif ready is self.listener:
                    self.ports[ready.accept()[0]] = b""
                else:
                    self.read(ready)

    def command(self):
        data = os.read(0, 4096)
        if not data:
            sys.exit()
        for word in data.split():
            self.registration = int(word)
            for name in REGISTRATIONS:
                self.tell(f"{name}: {self.registration},{CELL}")
            print("=", self.registration, flush=True)

    def tell(self, line):
        for port in self.ports:
            port.sendall(f"\r\n{line}\r\n".encode())

    def read(self, port):
        data = port.recv(4096)
        if not data:
            del self.ports[port]
            return port.close()
        *lines, self.ports[port] = (self.ports[port] + data).split(b"\r")
        for line in lines:
            command = line.decode(errors="replace").strip()
            if command:
                port.sendall(("\r\n" + "\r\n".join(self.answer(command)) + "\r\n").encode())

    def answer(self, command):
        if command in PLAIN or command.startswith(SETTINGS):
            return ["OK"]
        if command in ANSWERS:
            return [ANSWERS[command], "", "OK"]
        if command.startswith("AT+CLCK="):
            return ["+CLCK: 0", "", "OK"]
        for name in REGISTRATIONS:
            if command == f"AT{name}?":
                return [f"{name}: 2,{self.registration},{CELL}", "", "OK"]
        return ["ERROR"]


Modem(sys.argv[1]).run()
