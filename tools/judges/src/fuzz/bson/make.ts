import type { Node } from './node.js';

const number = (size: number, write: (bytes: Buffer) => void): Buffer => {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return bytes;
};

export const int32 = (name: string, value: number): Node => ({
  type: 0x10,
  name,
  value: number(4, bytes => bytes.writeInt32LE(value | 0)),
});

export const int64 = (name: string, value: bigint): Node => ({
  type: 0x12,
  name,
  value: number(8, bytes => bytes.writeBigInt64LE(BigInt.asIntN(64, value))),
});

export const double = (name: string, value: number): Node => ({
  type: 0x01,
  name,
  value: number(8, bytes => bytes.writeDoubleLE(value)),
});

export const date = (name: string, value: bigint): Node => ({ ...int64(name, value), type: 0x09 });

export const text = (name: string, value: string, type: 0x02 | 0x0d | 0x0e = 0x02): Node => {
  const content = Buffer.from(value, 'utf8');
  const bytes = Buffer.alloc(content.length + 5);
  bytes.writeInt32LE(content.length + 1);
  bytes.set(content, 4);
  return { type, name, value: bytes };
};

export const bool = (name: string, value: boolean): Node => ({ type: 0x08, name, value: Buffer.from([value ? 1 : 0]) });

export const binary = (name: string, subtype: number, content: Uint8Array): Node => {
  const bytes = Buffer.alloc(content.length + 5);
  bytes.writeInt32LE(content.length);
  bytes[4] = subtype;
  bytes.set(content, 5);
  return { type: 0x05, name, value: bytes };
};

export const regex = (name: string, pattern: string, options: string): Node => ({
  type: 0x0b,
  name,
  value: Buffer.from(`${pattern}\0${options}\0`, 'utf8'),
});

export const document = (name: string, nodes: readonly Node[]): Node => ({ type: 0x03, name, value: nodes });

export const array = (name: string, items: readonly Node[]): Node => ({
  type: 0x04,
  name,
  value: items.map((item, i) => ({ ...item, name: String(i) })),
});

/** An element without a value: null, undefined, MinKey or MaxKey. */
export const bare = (name: string, type: 0x06 | 0x0a | 0x7f | 0xff): Node => ({ type, name, value: Buffer.alloc(0) });
