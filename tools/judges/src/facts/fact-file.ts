/** The files of facts: one for each source file, one JSON value a line. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { EJSON, type Document } from 'bson';
import { root } from '@tessera-tools/house';
import type { Expectation } from './expectation.js';

export const folder: string = join(root, 'packages', 'server', 'test', 'facts');

/** A command, and what its reply must be. Without `expected`, the command only prepares the next ones. */
export interface Row {
  /** The line in the file, from 1. */
  readonly line: number;
  readonly command: Document;
  readonly expected: Expectation | undefined;
  /** Why the embedded server does not meet the expectation. */
  readonly reason: string | undefined;
}

export interface FactFile {
  /** The path below the folder of facts, without `.jsonl`. */
  readonly name: string;
  /** The file in MongoDB's repository that states the same facts. */
  readonly source: string;
  /** Whether the facts are those of a replica set. */
  readonly set: boolean;
  readonly rows: readonly Row[];
}

/** Returns the expectation with plain codes and counts: the other numbers keep their types. */
const plain = (given: Document): Expectation => ({
  ...given,
  ...('code' in given && { code: [given['code'] as number | number[]].flat().map(Number) }),
  ...('count' in given && { count: Number(given['count']) }),
});

/** The number of commands with an expectation. */
export const factsOf = ({ rows }: FactFile): number => rows.filter(({ expected }) => expected !== undefined).length;

/** Parses the lines of a file. Numbers keep their types. @throws Error with the name and the line if a line has another form */
export const parseFacts = (name: string, text: string): FactFile => {
  const lines = text.split('\n').filter((each, at, all) => each !== '' || at < all.length - 1);
  const values = lines.map((each, at): unknown => {
    try {
      return EJSON.parse(each, { relaxed: false });
    } catch (cause) {
      throw new Error(`${name}:${at + 1} is not Extended JSON.`, { cause });
    }
  });
  const [head, ...rows] = values;
  const { source, set = false } = head as { source?: unknown; set?: boolean };
  if (typeof source !== 'string') throw new Error(`${name}:1 must name its "source".`);
  return {
    name,
    source,
    set,
    rows: rows.map((each, at) => {
      const line = at + 2;
      if (!Array.isArray(each) || each.length < 1 || each.length > 3)
        throw new Error(`${name}:${line} must be [command], [command, expectation] or [command, expectation, reason].`);
      const [command, given, reason] = each as [Document, Document?, string?];
      return { line, command, expected: given && plain(given), reason };
    }),
  };
};

/** Reads all files whose names begin with one of the texts, in order. */
export const readFacts = (beginnings: readonly string[]): FactFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.jsonl'))
    .map(path => path.slice(0, -'.jsonl'.length).replaceAll(sep, '/'))
    .filter(name => beginnings.length === 0 || beginnings.some(each => name.startsWith(each)))
    .sort()
    .map(name => parseFacts(name, readFileSync(join(folder, `${name}.jsonl`), 'utf8')));
