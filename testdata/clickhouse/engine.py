"""The current ClickHouse engine behind the native protocol, for tests.

Debian's server is of 2018, and no package registry has a newer one. PyPI has the engine as a
library, chDB. This serves it on loopback as clickhouse-server would: started with the same
configuration file, it keeps its tables in the same directory, and may be killed and started again.
The profile "default" of users_config holds, without constraints. The engine gets every statement as the client sent it, and every block in the bytes in which it
came. What is not ClickHouse's here: the protocol (of revision 54430), who may log in, and that a
query id is used once at a time; statements run one after another.

engine.py --config-file=FILE, like clickhouse-server. If PLATEN_TEST_CLICKHOUSE_TALLY names a file,
each statement adds a line: the engine's version, the statement's first word, the rows that it gave
or took, the code of its error.
"""

import argparse
import io
import json
import os
import re
import socketserver
import struct
import tempfile
import threading
from xml.etree import ElementTree

import lz4.block
from clickhouse_cityhash.cityhash import CityHash128

REVISION = 54430  # settings are strings since 54429; columns have kinds of serialization since 54454
HELLO, QUERY, DATA, CANCEL, PING = range(5)
SERVER_HELLO, SERVER_DATA, EXCEPTION, _, PONG, END = range(6)
AUTHENTICATION_FAILED, SAME_ID_IS_RUNNING = 516, 216
LZ4, UNCOMPRESSED = 0x82, 0x02
WIDTHS = {
    "Int8": 1, "UInt8": 1, "Enum8": 1, "Int16": 2, "UInt16": 2, "Int32": 4, "UInt32": 4, "DateTime": 4, "Int64": 8, "UInt64": 8,
}


class Refused(Exception):
    """An error for the client, with ClickHouse's number for it."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Reader:
    """Reads what the protocol is made of, and keeps what it has read since `kept` was emptied."""

    def __init__(self, source):
        self.source = source
        self.kept = bytearray()

    def read(self, n):
        data = self.source.read(n)
        if len(data) < n:
            raise EOFError
        self.kept += data
        return data

    def number(self):
        value = shift = 0
        while True:
            byte = self.read(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def text(self):
        return self.read(self.number()).decode()


class Frames:
    """The content of compressed frames."""

    def __init__(self, source):
        self.source = Reader(source)
        self.content = io.BytesIO()

    def read(self, n):
        data = self.content.read(n)
        while len(data) < n:
            self.content = io.BytesIO(self.frame())
            data += self.content.read(n - len(data))
        return data

    def frame(self):
        checksum, header = self.source.read(16), self.source.read(9)
        method, packed, unpacked = struct.unpack("<BII", header)
        body = self.source.read(packed - len(header))
        if checksum != sum_of(header + body):
            raise ValueError("a frame's checksum is wrong")
        if method == UNCOMPRESSED:
            return body
        if method != LZ4:
            raise ValueError(f"compression {method:#x} is not known here")
        return lz4.block.decompress(body, uncompressed_size=unpacked)


def sum_of(data):
    low, high = divmod(CityHash128(data), 1 << 64)
    return struct.pack("<QQ", low, high)


def framed(data):
    data = struct.pack("<BII", UNCOMPRESSED, len(data) + 9, len(data)) + data
    return sum_of(data) + data


def number(value):
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def text(value):
    value = value.encode()
    return number(len(value)) + value


def skip(reader, kind, rows):
    """Reads a column of a block."""
    if kind == "String":
        for _ in range(rows):
            reader.read(reader.number())
    elif kind.startswith("Array("):
        ends = reader.read(8 * rows)
        skip(reader, kind[len("Array("):-1], struct.unpack("<Q", ends[-8:])[0] if rows else 0)
    else:
        reader.read(rows * WIDTHS[kind.partition("(")[0]])


class Block:
    """A block in the format Native: its bytes, and what they say of its shape."""

    def __init__(self, reader):
        reader.kept.clear()
        count, self.rows = reader.number(), reader.number()
        self.columns = []
        for _ in range(count):
            self.columns.append((reader.text(), reader.text()))
            skip(reader, self.columns[-1][1], self.rows)
        self.data = bytes(reader.kept)


def blocks(data):
    source = io.BytesIO(data)
    while source.tell() < len(data):
        yield Block(Reader(source))


def header(columns):
    """A block without rows."""
    data = number(len(columns)) + number(0) + b"".join(text(name) + text(kind) for name, kind in columns)
    return next(blocks(data))


BLOCK_INFO = b"\x01\x00\x02" + struct.pack("<i", -1) + b"\x00"


class Engine:
    """The engine of this process. It has one session, so a statement runs alone."""

    def __init__(self, path, tally, profile):
        os.makedirs(path, exist_ok=True)
        os.chdir(path)  # the engine would take a config.xml of the working directory for its own
        import chdb.session

        self.session = chdb.session.Session(path)
        self.version = chdb.engine_version
        self.tally = tally
        self.lock = threading.Lock()
        self.profile = profile
        self.database, self.settings = None, {}  # what is set in the session
        self.ids = set()

    def run(self, statement, form="Native"):
        try:
            return self.session.query(statement, form).bytes()
        except Exception as error:
            code = re.search(r"Code: (\d+)", str(error))
            raise Refused(int(code[1]) if code else 1001, str(error)) from error

    def use(self, database, settings):
        """Has the session what a statement has: its database, the profile, and its own settings."""
        if self.database != database:
            self.run(f"USE `{database}`")
            self.database = database
        wanted = {**self.profile, **settings}
        for name in self.settings.keys() - wanted.keys():
            self.run(f"SET {name} = DEFAULT")
            del self.settings[name]
        for name, value in wanted.items():
            if self.settings.get(name) != value:
                self.run(f"SET {name} = '{value}'")
                self.settings[name] = value

    def shape(self, what):
        """The names and types of the columns of a table, or of an answer."""
        return [column[:2] for column in json.loads(self.run(f"DESCRIBE {what}", "JSONCompact"))["data"]]

    def insert(self, into, data):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"".join(block.data for block in data))
            file.flush()
            self.run(f"INSERT INTO {into} SELECT * FROM file('{file.name}', Native)")

    def answer(self, statement, external):
        """The blocks of an answer, at least one if there is an answer at all."""
        try:
            for name, block in external:
                self.run(f"CREATE TEMPORARY TABLE {name} ({', '.join(' '.join(c) for c in block.columns)})")
                self.insert(name, [block])
            found = list(blocks(self.run(statement)))
            if not found and statement.lstrip().upper().startswith("SELECT"):
                found = [header(self.shape(f"({statement})"))]
            return found
        finally:
            for name, _ in external:
                self.run(f"DROP TEMPORARY TABLE IF EXISTS {name}")

    def count(self, statement, rows, code=0):
        if self.tally:
            word = re.search(r"^[A-Z]+", statement, re.MULTILINE)[0]
            with open(self.tally, "a") as file:
                file.write(f"{self.version}\t{word}\t{rows}\t{code}\n")


class Statement:
    """What a client asks for."""

    def __init__(self, reader):
        self.id = reader.text()
        reader.read(1)  # whether another server asks
        reader.text(), reader.text(), reader.text()  # the first user, query and address
        reader.read(1)  # TCP
        reader.text(), reader.text(), reader.text()  # user, host, client
        reader.number(), reader.number(), reader.number()  # its version and revision
        reader.text()  # quota
        reader.number()  # patch
        self.settings = {}
        while name := reader.text():
            reader.number()  # flags
            self.settings[name] = reader.text()
        reader.read(1)  # how far to execute
        self.compressed = reader.number() == 1
        self.text = reader.text()
        self.inserts = re.match(r"INSERT\s+INTO\s+(\S+)\s*\(([^)]*)\)", self.text)


class Connection(socketserver.StreamRequestHandler):
    """One client."""

    disable_nagle_algorithm = True

    def handle(self):
        self.engine = self.server.engine
        self.reader = Reader(self.rfile)
        try:
            if self.greet():
                while True:
                    self.packet()
        except (EOFError, ConnectionError):
            pass  # the client has gone

    def send(self, kind, *parts):
        self.wfile.write(number(kind) + b"".join(parts))

    def refuse(self, error):
        self.send(EXCEPTION, struct.pack("<i", error.code), text("DB::Exception"), text(str(error)), text(""), b"\0")

    def greet(self):
        reader = self.reader
        reader.number(), reader.text(), reader.number(), reader.number(), reader.number()
        self.database, user, password = reader.text() or "default", reader.text() or "default", reader.text()
        try:
            if (user, password) != ("default", ""):
                raise Refused(AUTHENTICATION_FAILED, f"{user}: Authentication failed")
            with self.engine.lock:
                self.engine.use(self.database, {})
        except Refused as error:
            self.refuse(error)
            return False
        major, minor, patch = map(int, self.engine.version.split(".")[:3])
        self.send(SERVER_HELLO, text("chDB"), number(major), number(minor), number(REVISION), text("UTC"), text("chDB"), number(patch))
        return True

    def packet(self):
        self.reader.kept.clear()
        kind = self.reader.number()
        if kind == PING:
            self.send(PONG)
        elif kind == QUERY:
            self.statement(Statement(self.reader))
        elif kind != CANCEL:  # what was to be cancelled has ended
            raise EOFError(f"packet {kind} is not expected")

    def statement(self, s):
        external, rows = self.tables(s), 0
        try:
            rows = self.perform(s, external)
        except Refused as error:
            self.engine.count(s.text, 0, error.code)
            self.refuse(error)
        else:
            self.engine.count(s.text, rows)
            self.send(END)

    def perform(self, s, external):
        """Performs a statement under its id, and returns how many rows it had."""
        ids = self.engine.ids
        if s.id and s.id in ids:
            raise Refused(SAME_ID_IS_RUNNING, f"Query with id = {s.id} is already running")
        ids.add(s.id)
        try:
            return self.insert(s) if s.inserts else self.select(s, external)
        finally:
            ids.discard(s.id)

    def tables(self, s):
        """The tables that come with a statement, up to an empty block."""
        found = []
        while True:
            if self.reader.number() != DATA:
                raise EOFError("data is expected")
            name = self.reader.text()
            reader = Reader(Frames(self.rfile)) if s.compressed else self.reader
            reader.read(len(BLOCK_INFO))
            block = Block(reader)
            if not block.columns:
                return found
            found.append((name, block))

    def data(self, s, block):
        data = BLOCK_INFO + block.data
        self.send(SERVER_DATA, text(""), framed(data) if s.compressed else data)

    def select(self, s, external):
        with self.engine.lock:
            self.engine.use(self.database, s.settings)
            found = self.engine.answer(s.text, external)
        for block in found:
            self.data(s, block)
        return sum(block.rows for block in found)

    def insert(self, s):
        table, columns = s.inserts.groups()
        with self.engine.lock:
            self.engine.use(self.database, s.settings)
            types = dict(self.engine.shape(table))
        names = [name.strip() for name in columns.split(",")]
        self.data(s, header([(name, types[name]) for name in names]))
        found = [block for _, block in self.tables(s)]
        with self.engine.lock:
            self.engine.use(self.database, s.settings)
            self.engine.insert(f"{table} ({columns})", found)
        return sum(block.rows for block in found)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("--config-file", required=True)
    config = ElementTree.parse(flags.parse_args().config_file).getroot()
    profile = ElementTree.parse(config.findtext("users_config")).find("profiles/default")
    settings = {setting.tag: setting.text for setting in profile}
    engine = Engine(config.findtext("path"), os.environ.get("PLATEN_TEST_CLICKHOUSE_TALLY"), settings)
    with Server(("127.0.0.1", int(config.findtext("tcp_port"))), Connection) as server:
        server.engine = engine
        server.serve_forever()


if __name__ == "__main__":
    main()
