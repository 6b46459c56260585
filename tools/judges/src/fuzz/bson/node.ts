/** An element of an encoded document. It may be invalid. */
export interface Node {
  readonly type: number;
  readonly name: string;
  /** The elements of a document or array, or the bytes of any other value. */
  readonly value: readonly Node[] | Uint8Array;
  /** Added to the encoded length of a document or array, which makes the length wrong. */
  readonly lie?: number;
}

export const isContainer = (value: Node['value']): value is readonly Node[] => !(value instanceof Uint8Array);

const endOfName = (bytes: Buffer, at: number): number => {
  const end = bytes.indexOf(0, at);
  if (end === -1) throw new RangeError('A name has no terminator.');
  return end;
};

const lengthOf = (type: number, bytes: Buffer, at: number): number => {
  switch (type) {
    case 0x01:
    case 0x09:
    case 0x11:
    case 0x12:
      return 8;
    case 0x02:
    case 0x0d:
    case 0x0e:
      return 4 + bytes.readInt32LE(at);
    case 0x03:
    case 0x04:
    case 0x0f:
      return bytes.readInt32LE(at);
    case 0x05:
      return 5 + bytes.readInt32LE(at);
    case 0x07:
      return 12;
    case 0x08:
      return 1;
    case 0x0b:
      return endOfName(bytes, endOfName(bytes, at) + 1) + 1 - at;
    case 0x0c:
      return 4 + bytes.readInt32LE(at) + 12;
    case 0x10:
      return 4;
    case 0x13:
      return 16;
    default:
      return 0;
  }
};

/**
 * Parses the elements of the document at this position.
 * @throws RangeError if the bytes are not a document
 */
export const readNodes = (bytes: Buffer, start: number): Node[] => {
  const nodes: Node[] = [];
  const end = start + bytes.readInt32LE(start) - 1;
  for (let at = start + 4; at < end;) {
    const type = bytes[at]!;
    const nameEnd = endOfName(bytes, at + 1);
    const name = bytes.toString('utf8', at + 1, nameEnd);
    const length = lengthOf(type, bytes, nameEnd + 1);
    if (length < 0 || nameEnd + 1 + length > end) throw new RangeError('A value exceeds its document.');
    const isDocument = type === 3 || type === 4;
    const value = isDocument ? readNodes(bytes, nameEnd + 1) : bytes.subarray(nameEnd + 1, nameEnd + 1 + length);
    nodes.push({ type, name, value });
    at = nameEnd + 1 + length;
  }
  return nodes;
};

/** Encodes elements of any depth. Deep documents must not fail here before they reach the server. */
export const writeNodes = (nodes: readonly Node[], lie = 0): Buffer => {
  const parts: Buffer[] = [];
  for (const { type, name, value, lie: inner } of nodes) {
    parts.push(Buffer.from([type]), Buffer.from(name, 'utf8'), Buffer.from([0]));
    parts.push(isContainer(value) ? writeNodes(value, inner) : Buffer.from(value));
  }
  const body = Buffer.concat(parts);
  const bytes = Buffer.alloc(body.length + 5);
  bytes.writeInt32LE((bytes.length + lie) | 0, 0);
  bytes.set(body, 4);
  return bytes;
};
