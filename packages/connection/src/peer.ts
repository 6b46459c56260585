/** The number of bytes that is enough to recognize the protocols of other servers. */
const ENOUGH = 48;

/** Records the first bytes that a server sends, so that an error of the handshake can say what protocol it speaks. */
export class FirstBytes {
  readonly #bytes: Uint8Array = new Uint8Array(ENOUGH);
  #length = 0;
  #room: Uint8Array | undefined;

  /** Where the socket writes the next bytes. */
  room(room: Uint8Array): void {
    this.#room = room;
  }

  filled(length: number): void {
    const more = this.#room!.subarray(0, Math.min(length, ENOUGH - this.#length));
    this.#bytes.set(more, this.#length);
    this.#length += more.length;
  }

  /** Describes the bytes received. Returns undefined if there are none, or if they may be MongoDB's protocol. */
  describe(): string | undefined {
    return describe(this.#bytes.subarray(0, this.#length));
  }
}

const opCodes = [1, 2012, 2013];

/** Returns whether the received part of a header has a valid length and opcode. */
const mayBeMongo = (bytes: Uint8Array): boolean => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 4) return true;
  const length = view.getInt32(0, true);
  const possible = length >= 16 && length <= 48_016_384;
  return possible && (bytes.length < 16 || opCodes.includes(view.getInt32(12, true)));
};

/** A TLS record: alert (21) or handshake (22), then major version 3. */
const isTls = (bytes: Uint8Array): boolean => (bytes[0] === 21 || bytes[0] === 22) && bytes[1] === 3;

const firstLine = (bytes: Uint8Array): string => String.fromCharCode(...bytes).split(/[\r\n]/, 1)[0]!;

const isText = (line: string): boolean => /^[\x20-\x7e]{4,}$/.test(line);

export const describe = (bytes: Uint8Array): string | undefined => {
  if (bytes.length === 0) return undefined;
  if (isTls(bytes)) return 'TLS; the port requires TLS, so connect with tls=true';
  const line = firstLine(bytes);
  if (line.startsWith('HTTP/')) return `HTTP ("${line}"); check that the port belongs to MongoDB`;
  if (mayBeMongo(bytes)) return undefined;
  if (line.startsWith('SSH-')) return `SSH ("${line}"); check that the SSH tunnel is open`;
  if (isText(line)) return `"${line}", which is not MongoDB's protocol`;
  const hex = Array.from(bytes.subarray(0, 16), byte => byte.toString(16).padStart(2, '0')).join(' ');
  return `the bytes ${hex}, which are not MongoDB's protocol`;
};
