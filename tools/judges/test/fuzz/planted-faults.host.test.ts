import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readCorpus } from '../../src/fuzz/corpus/corpus.js';
import { casesOf, playAll } from '../../src/fuzz/fuzz.js';
import type { Found } from '../../src/fuzz/fuzz.js';
import { readReplay, writeReplay } from '../../src/fuzz/replay.js';

const program = fileURLToPath(new URL('planted.mjs', import.meta.url));
const corpus = readCorpus();
const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));

const seed = 7;
const few = 60;

/** Plays cases of the seed on a server with this fault. */
const fuzz = async (fault: string): Promise<Found | undefined> => {
  let left = few;
  const subject = { program, fault };
  return (await playAll(subject, casesOf(seed, 0, corpus), () => left-- > 0)).found;
};

test.each([
  ['crash', 'exit', 'exit code 3'],
  ['hang', 'hang', "Another client's ping waited for"],
  ['leak', 'memory', 'MB are still held after all data and sessions were removed'],
])(
  'a planted %s is found, and found again by its seed and by its replay file',
  async (fault, kind, what) => {
    const found = await fuzz(fault);
    expect(found?.violation).toMatchObject({ kind, what: expect.stringContaining(what) as unknown });
    const again = await fuzz(fault);
    expect(again?.cases).toEqual(found!.cases);
    expect(again!.violation.kind).toBe(kind);
    const file = join(folder, `${fault}.json`);
    writeReplay(file, found!);
    const { options, cases } = readReplay(file);
    const last = fault === 'leak' ? cases : cases.slice(-1);
    expect((await playAll(options, last, () => true)).found?.violation.kind).toBe(kind);
  },
  120_000,
);

test('finds nothing without a fault', async () => {
  expect(await fuzz('none')).toBeUndefined();
}, 60_000);
