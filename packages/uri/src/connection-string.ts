import { MongoError } from '@tessera/contracts';
import { splitConnectionString } from './grammar.js';
import type { HostIdentifier } from './grammar.js';
import { optionTable } from './option-table.js';
import type { OptionRow } from './option-table.js';
import { checkRules } from './rules.js';
import { unknownOption } from './unknown-option.js';

/** A parsed connection string. */
export interface ConnectionString {
  /** Whether the scheme is `mongodb+srv:`. */
  readonly srv: boolean;
  /** The hosts. One for `mongodb+srv:`. */
  readonly hosts: readonly HostIdentifier[];
  /** The decoded user name. */
  readonly username: string | undefined;
  /** The decoded password. */
  readonly password: string | undefined;
  /** The default database: the path of the connection string. */
  readonly database: string | undefined;
  /** The options in the string, by the names of the option table, without defaults. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Warnings about ignored options, with the reasons. */
  readonly warnings: readonly string[];
}

const rows: ReadonlyMap<string, OptionRow> = new Map(
  optionTable.filter(({ code }) => code !== true).map(row => [row.name.toLowerCase(), row]),
);
const names = optionTable.filter(({ code }) => code !== true).map(({ name }) => name);

/**
 * Parses a connection string. As the specification requires, unknown options and invalid values are ignored with a
 * warning. `strict` rejects them instead. Rule: Connection String; URI Options.
 * @throws MongoError `usage`, which never contains a possible password.
 */
export const parseConnectionString = (
  uri: string,
  { strict = false }: { readonly strict?: boolean } = {},
): ConnectionString => {
  const { pairs, ...parts } = splitConnectionString(uri);
  const warnings: string[] = [];
  const warn = (message: string, harmless = false): void => {
    if (strict && !harmless) throw new MongoError('usage', message);
    warnings.push(message);
  };
  const options: Record<string, unknown> = {};
  for (const [row, texts] of groupByRow(pairs, warn)) {
    if (texts.length > 1 && row.type.repeats !== true && row.name !== 'tls' && row.name !== 'ssl')
      warn(`The option '${row.name}' is given ${texts.length} times; the first value counts.`, true);
    const read = row.type.read(texts);
    if ('wrong' in read) {
      warn(`The option '${row.name}' must be ${read.wrong}.`);
      continue;
    }
    if (read.deprecated !== undefined) warn(`The value of '${row.name}' is deprecated: ${read.deprecated}.`, true);
    if (row.renamed === undefined) options[row.name] = read.value;
    else if (pairs.some(([key]) => key.toLowerCase() === row.renamed?.toLowerCase())) {
      if (row.renamed !== 'tls')
        warn(`The deprecated option '${row.name}' is ignored because '${row.renamed}' is also given.`, true);
    } else options[row.renamed] = read.value;
  }
  checkRules({ srv: parts.srv, hostCount: parts.hosts.length, pairs, options });
  return { ...parts, options, warnings };
};

const groupByRow = (
  pairs: readonly (readonly [string, string])[],
  warn: (message: string) => void,
): ReadonlyMap<OptionRow, string[]> => {
  const grouped = new Map<OptionRow, string[]>();
  for (const [key, text] of pairs) {
    const row = rows.get(key.toLowerCase());
    if (row === undefined) {
      warn(unknownOption(key, names));
      continue;
    }
    const texts = grouped.get(row);
    if (texts === undefined) grouped.set(row, [text]);
    else texts.push(text);
  }
  return grouped;
};
