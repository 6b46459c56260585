/**
 * The only file that uses features of the host. Text and bytes are converted by `Buffer` where the host has it (three
 * to four times faster), otherwise by `TextEncoder` and `TextDecoder`, which every host has.
 */

/** The part of Node's Buffer that is used. `utf8Slice` and `utf8Write` call the engine without checking options. */
interface HostBuffer extends Uint8Array {
  utf8Slice(start: number, end: number): string;
  utf8Write(text: string, at: number): number;
}

interface HostBufferMaker {
  readonly prototype: object;
  allocUnsafe(length: number): Uint8Array;
  allocUnsafeSlow(length: number): Uint8Array;
  from(memory: ArrayBufferLike, offset: number, length: number): HostBuffer;
  byteLength(text: string, encoding: 'utf8'): number;
}

interface Decoder {
  decode(bytes: Uint8Array): string;
}

interface Encoder {
  encodeInto(text: string, to: Uint8Array): { readonly read: number; readonly written: number };
}

interface Process {
  getBuiltinModule?(name: string): { markAsUntransferable(memory: ArrayBufferLike): void };
}

interface Globals {
  readonly Buffer?: HostBufferMaker;
  readonly process?: Process;
  readonly TextDecoder: new (label: string, options: { ignoreBOM: boolean }) => Decoder;
  readonly TextEncoder: new () => Encoder;
}

const { Buffer, process, TextDecoder, TextEncoder } = globalThis as unknown as Globals;

const maker =
  Buffer !== undefined && 'utf8Slice' in Buffer.prototype && 'utf8Write' in Buffer.prototype ? Buffer : undefined;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** Wraps a whole buffer as bytes. {@link readUtf8} and {@link writeUtf8} accept only bytes from here. */
export const wrap: (memory: ArrayBufferLike) => Uint8Array =
  maker === undefined
    ? memory => new Uint8Array(memory as ArrayBuffer)
    : memory => maker.from(memory, 0, memory.byteLength);

/** Allocates memory with arbitrary content that is not shared. */
export const allocateOwn: (length: number) => Uint8Array =
  maker === undefined ? length => new Uint8Array(length) : length => maker.allocUnsafeSlow(length);

/** Fills the copy with the bytes from `start`. */
const fill = (copy: Uint8Array, bytes: Uint8Array, start: number): Uint8Array => {
  const { length } = copy;
  if (length <= 32) for (let i = 0; i < length; i++) copy[i] = bytes[start + i]!;
  else copy.set(new Uint8Array(bytes.buffer, bytes.byteOffset + start, length));
  return copy;
};

/** Copies bytes, into pooled memory where the host pools small pieces. */
export const copyOf: (bytes: Uint8Array, start: number, end: number) => Uint8Array =
  maker === undefined
    ? (bytes, start, end) => bytes.slice(start, end)
    : (bytes, start, end) => fill(maker.allocUnsafe(end - start), bytes, start);

/** Prevents the transfer of memory to a thread, and returns whether the host can. */
const fix = (memory: ArrayBufferLike): boolean => {
  try {
    const threads = process?.getBuiltinModule?.('node:worker_threads');
    threads?.markAsUntransferable(memory);
    return threads !== undefined;
  } catch {
    return false;
  }
};

/**
 * The host pools pieces of up to 4 KiB in 8 KiB each. Creating memory costs as much as encoding ten members, so larger
 * pieces share larger pools. A transfer of one piece would take all of them, so only fixed memory is a pool.
 */
const poolSize = 64 * 1024;
const leastPooled = 2 * 1024;
const mostPooled = poolSize / 4;
const mayPool = maker !== undefined && fix(maker.allocUnsafeSlow(1).buffer);
let pool: ArrayBufferLike | undefined;
let pooled = 0;

/** Copies bytes like {@link copyOf}, and shares larger pools. For results that are soon dropped: each keeps its pool. */
export const briefCopyOf: (bytes: Uint8Array, start: number, end: number) => Uint8Array =
  maker === undefined || !mayPool
    ? copyOf
    : (bytes, start, end) => {
        const length = end - start;
        if (length < leastPooled || length > mostPooled) return copyOf(bytes, start, end);
        if (pool === undefined || pooled + length > poolSize) {
          pool = maker.allocUnsafeSlow(poolSize).buffer;
          fix(pool);
          pooled = 0;
        }
        const piece = maker.from(pool, pooled, length);
        pooled = (pooled + length + 7) & ~7;
        return fill(piece, bytes, start);
      };

/** Decodes UTF-8. Invalid bytes become U+FFFD. */
export const readUtf8: (bytes: Uint8Array, start: number, end: number) => string =
  maker === undefined
    ? (bytes, start, end) => decoder.decode(bytes.subarray(start, end))
    : (bytes, start, end) => (bytes as HostBuffer).utf8Slice(start, end);

/** Writes text as UTF-8 and returns the number of bytes written. There must be room. */
export const writeUtf8: (bytes: Uint8Array, text: string, at: number) => number =
  maker === undefined
    ? (bytes, text, at) => encoder.encodeInto(text, bytes.subarray(at)).written
    : (bytes, text, at) => (bytes as HostBuffer).utf8Write(text, at);

/** Returns the size of the text in UTF-8 bytes without writing it. */
export const utf8Length: (text: string) => number =
  maker === undefined
    ? text => {
        let length = text.length;
        for (let i = 0; i < text.length; i++) {
          const unit = text.charCodeAt(i);
          if (unit > 0x7f) length += unit > 0x7ff ? 2 : 1;
          if (unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
            i++; // a surrogate pair: two units, four bytes
          }
        }
        return length;
      }
    : text => maker.byteLength(text, 'utf8');
