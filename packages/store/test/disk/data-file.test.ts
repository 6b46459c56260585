import type { Random } from '@tessera/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc32c } from '../../src/disk/crc32c.js';
import { DataFile } from '../../src/disk/data-file.js';
import { frameHeaderSize, frameLength, headerSize, readFileHeader, writeFrame } from '../../src/disk/frame.js';
import type { Reading } from '../../src/disk/frames-in.js';
import { readCommits } from '../../src/disk/frames-in.js';
import type { Definitions } from '../../src/disk/described.js';
import { Recovered } from '../../src/disk/recovered.js';
import type { DatabaseValue } from '../../src/index.js';
import { emptyDatabase } from '../../src/index.js';
import { anyCommits, fileOf, shown, valuesAfter } from './values.js';

let files = 0;
const random: Random = { unit: () => 0.5, bytes: length => new Uint8Array(length).fill((files += 1)) };

const definitions: Definitions = {
  prepare: () => undefined,
  validator: () => undefined,
  timeSeries: () => {
    throw new Error('There is no time series.');
  },
  analysis: () => undefined,
};

interface Written {
  readonly bytes: Uint8Array;
  /** The offset at which each commit ends, starting with the initial snapshot. */
  readonly ends: readonly number[];
}

const written = async (values: readonly DatabaseValue[]): Promise<Written> => {
  const file = fileOf();
  const data = await DataFile.begin(file, random, values[0]!);
  const ends = [data.size];
  for (let i = 1; i < values.length; i++) {
    await data.commit(values[i - 1]!, values[i]!);
    ends.push(data.size);
  }
  return { bytes: file.content(), ends };
};

interface Read {
  readonly reading: Reading;
  readonly value: DatabaseValue;
}

const read = async (bytes: Uint8Array): Promise<Read> => {
  const header = readFileHeader(bytes);
  if (header.kind !== 'known') throw new Error('no header');
  const recovered = new Recovered();
  const reading = await readCommits(fileOf(bytes), header.id, contents => recovered.apply(contents));
  return { reading, value: recovered.value(definitions) };
};

const joined = (...parts: readonly Uint8Array[]): Uint8Array => {
  const all: number[] = [];
  for (const part of parts) for (const byte of part) all.push(byte);
  return Uint8Array.from(all);
};

const atEnd = (ends: readonly number[], length: number): number => ends.findLastIndex(end => end <= length);

describe('the data file', { timeout: 30_000 }, () => {
  test('returns every value that was committed to it', async () => {
    await fc.assert(
      fc.asyncProperty(anyCommits, async commits => {
        const values = valuesAfter(commits);
        const { bytes, ends } = await written(values);
        const { reading, value } = await read(bytes);
        expect(reading).toEqual({
          commits: ends.length,
          end: bytes.length,
          size: bytes.length,
          ending: { kind: 'whole' },
        });
        expect(shown(value)).toEqual(shown(values.at(-1)!));
      }),
      { numRuns: 100 },
    );
  });

  test('returns the same value if it starts from a snapshot of it', async () => {
    await fc.assert(
      fc.asyncProperty(anyCommits, async commits => {
        const value = valuesAfter(commits).at(-1)!;
        const { bytes } = await written([value]);
        expect(shown((await read(bytes)).value)).toEqual(shown(value));
      }),
      { numRuns: 50 },
    );
  });

  test('cut at any byte and followed by any bytes holds a prefix of its commits, and is torn', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyCommits,
        fc.nat(),
        fc.uint8Array({ maxLength: 600, size: 'max' }),
        async (commits, where, tail) => {
          const values = valuesAfter(commits);
          const { bytes, ends } = await written(values);
          const cut = ends[0]! + (where % (bytes.length - ends[0]! + 1));
          const kept = atEnd(ends, cut);
          const file = joined(bytes.subarray(0, cut), tail);
          const { reading, value } = await read(file);
          expect(shown(value)).toEqual(shown(values[kept]!));
          expect(reading).toEqual({
            commits: kept + 1,
            end: ends[kept],
            size: file.length,
            ending: { kind: file.length === ends[kept] ? 'whole' : 'torn' },
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  test('followed by frames of its own earlier commits is torn at its end', async () => {
    const values = valuesAfter([[{ do: 'insert', to: 0, n: 3 }], [{ do: 'insert', to: 0, n: 2 }]]);
    const { bytes, ends } = await written(values);
    const { reading, value } = await read(joined(bytes, bytes.subarray(ends[0], ends[1])));
    expect(reading).toEqual({
      commits: 3,
      end: bytes.length,
      size: bytes.length + ends[1]! - ends[0]!,
      ending: { kind: 'torn' },
    });
    expect(shown(value)).toEqual(shown(values[2]!));
  });

  test('followed by frames of another file is torn at its end', async () => {
    const values = valuesAfter([[{ do: 'insert', to: 0, n: 3 }], [{ do: 'insert', to: 0, n: 2 }]]);
    const { bytes, ends } = await written(values);
    const other = await written(values);
    const { reading } = await read(joined(bytes.subarray(0, ends[1]), other.bytes.subarray(ends[1])));
    expect(reading).toMatchObject({ commits: 2, end: ends[1], ending: { kind: 'torn' } });
  });

  test('with a changed byte before the last commit is damaged there', async () => {
    await fc.assert(
      fc.asyncProperty(anyCommits, fc.nat(), fc.integer({ min: 1, max: 255 }), async (commits, where, change) => {
        const values = valuesAfter([...commits, [{ do: 'insert', to: 0, n: 1 }]]);
        const { bytes, ends } = await written(values);
        const last = ends.at(-2)!;
        const at = headerSize + (where % (last - headerSize));
        bytes[at]! ^= change;
        const { reading, value } = await read(bytes);
        const kept = atEnd(ends, at);
        expect(reading.ending).toEqual({ kind: 'damaged', at: kept === -1 ? headerSize : ends[kept] });
        expect(shown(value)).toEqual(shown(kept === -1 ? emptyDatabase : values[kept]!));
      }),
      { numRuns: 200 },
    );
  });

  test('with a changed byte in its header is not recognized', async () => {
    const { bytes } = await written([emptyDatabase]);
    for (let at = 0; at < headerSize; at++) {
      const changed = bytes.slice();
      changed[at]! ^= 1;
      expect(readFileHeader(changed).kind).toBe('unknown');
    }
  });

  test('with a later format version is reported as such', async () => {
    const { bytes } = await written([emptyDatabase]);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    view.setUint32(8, 2, true);
    view.setUint32(20, crc32c(bytes.subarray(0, 20)), true);
    expect(readFileHeader(bytes)).toEqual({ kind: 'later', version: 2 });
  });

  test('has a commit of several frames completely or not at all', async () => {
    const large = valuesAfter([[{ do: 'insert', to: 0, n: 30_000 }]]);
    const { bytes, ends } = await written(large);
    const lengths: number[] = [];
    for (let at = ends[0]!; at < bytes.length;) {
      const length = frameLength(bytes.subarray(at, at + frameHeaderSize))!;
      lengths.push(length);
      at += length;
    }
    expect(lengths.length).toBeGreaterThan(1);
    let at = ends[0]!;
    for (const length of lengths) {
      const { reading } = await read(bytes.subarray(0, at));
      expect(reading).toMatchObject({ commits: 1, end: ends[0] });
      at += length;
    }
    expect((await read(bytes)).value.namespaces.get('db.c0')).toMatchObject({ nextRecord: 30_001 });
  });

  test('with a change of an unknown kind fails to load', async () => {
    const { bytes, ends } = await written([emptyDatabase]);
    const header = readFileHeader(bytes);
    if (header.kind !== 'known') throw new Error('no header');
    const content = Uint8Array.of(99, 5, 0, 0, 0, 0);
    const frame = writeFrame(header.id, { commit: 2, part: 0, isLast: true, content });
    await expect(read(joined(bytes.subarray(0, ends[0]), frame))).rejects.toThrow(
      'the file contains a change of kind 99, which this version does not support',
    );
  });
});
