import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { markdownTable } from '../page.js';
import { root } from '../root.js';
import type { Declared } from './members.js';

/** A row of the table of options in `packages/uri`. */
export interface OptionOfTable {
  readonly name: string;
  readonly type: { readonly expects: string };
  readonly default?: unknown;
  readonly rule: string;
  readonly renamed?: string;
  readonly code?: true;
}

/** Reads the table from the built package. It is imported by path, so that this package builds without it. */
export async function optionsOfClients(): Promise<readonly OptionOfTable[]> {
  const { href } = pathToFileURL(join(root, 'packages', 'uri', 'dist', 'index.js'));
  const { optionTable } = (await import(href)) as { readonly optionTable: readonly OptionOfTable[] };
  return optionTable;
}

/** The interfaces whose members are options of a client. */
const owners = ['MongoClientOptions', 'NetworkOptions', 'TlsOptions', 'BsonOptions', 'LogOptions'];

/** Descriptions of options that only connection strings have. */
const inStrings: Readonly<Record<string, string>> = {
  __skipPingOnConnect: 'Has no effect. The shell of MongoDB sets it.',
  serverSelectionTryOnce: 'Has no effect: server selection waits until `serverSelectionTimeoutMS`.',
};

/** Returns the unit that a description names. */
const unitOf = (text: string): string => /\bin (milliseconds|seconds|bytes|bits)\b/.exec(text)?.[1] ?? '';

const textOf = (name: string, declared: readonly Declared[]): string | undefined => {
  const known = owners.map(owner => declared.find(each => each.name === `${owner}.${name}`)?.text);
  return known.find(text => text !== undefined)?.replace(/\s+/g, ' ');
};

/** Splits a doc comment into the description and the default. */
const parts = (text: string): readonly [description: string, fallback: string] => {
  const found = / ?Default: (.*?\.)(?= [A-Z0-9]|$)/.exec(text);
  return found === null ? [text, ''] : [text.replace(found[0], '').trim(), found[1]!.replace(/\.$/, '')];
};

const valueOf = ({ type: { expects } }: OptionOfTable): string => {
  if (expects === 'a value') return 'as in Node.js';
  return expects.replace(' to 2147483647', '').replace(' from 0', '');
};

/** Returns the rows of the page. @throws Error for an option without a description */
const rowOf = (row: OptionOfTable, declared: readonly Declared[]): readonly string[] => {
  const text =
    row.renamed === undefined
      ? (textOf(row.name, declared) ?? inStrings[row.name])
      : `Another name of \`${row.renamed}\`.`;
  if (text === undefined) throw new Error(`The option ${row.name} has no doc comment.`);
  const [description, fallback] = parts(text);
  const place = row.code === true ? 'code' : 'code, string';
  return [`\`${row.name}\``, description, valueOf(row), fallback, unitOf(text), place, row.rule];
};

/** Returns the page with all options of a client. */
export const optionsPage = (table: readonly OptionOfTable[], declared: readonly Declared[]): string =>
  [
    '# Options of a client',
    '`npm run docs` generates this page from the table of options in `packages/uri/src/option-table.ts` and from the doc comments of `MongoClientOptions`.',
    '```ts\nnew MongoClient(uri, { maxPoolSize: 20 });\nnew MongoClient(`${uri}?maxPoolSize=20`);\n```',
    'The column "set in" says where an option can be set: in `code`, as in the first line, or also in the connection `string`, as in the second. A value in code takes precedence. Whole numbers are at most 2,147,483,647. An empty default means that the option is not set. The rule is the specification that defines the option; `driver` means that none does.',
    markdownTable(
      ['option', 'description', 'value', 'default', 'unit', 'set in', 'rule'],
      table.map(row => rowOf(row, declared)),
    ),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
