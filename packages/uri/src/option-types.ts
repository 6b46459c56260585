/** The types of options: how each is read from a connection string, and which values code may give. */

export type Read = { readonly value: unknown; readonly deprecated?: string } | { readonly wrong: string };

export interface OptionType {
  /** Describes valid values in messages, such as `true or false`. */
  readonly expects: string;
  /** Reads the values of a connection string, which are still percent-encoded, in their order. */
  read(texts: readonly string[]): Read;
  /** Whether a value given in code is valid. */
  accepts(value: unknown): boolean;
  /** Whether the key may occur several times. */
  readonly repeats?: boolean;
  /** Whether an empty text means that the option is not given. */
  readonly mayBeEmpty?: boolean;
}

const wrong = (expects: string): Read => ({ wrong: expects });

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const single = (expects: string, accepts: (value: unknown) => boolean, read: (text: string) => Read): OptionType => ({
  expects,
  accepts,
  read: texts => {
    const text = decoded(texts[0] ?? '');
    return text === undefined || text === '' ? wrong(expects) : read(text);
  },
});

const affirmed: readonly string[] = ['1', 'yes', 'y', 't'];
const denied: readonly string[] = ['0', '-1', 'no', 'n', 'f'];

/** Rule: Connection String, "Values". */
export const boolean: OptionType = single(
  'true or false',
  value => typeof value === 'boolean',
  text => {
    if (text === 'true' || text === 'false') return { value: text === 'true' };
    const value = affirmed.includes(text);
    return value || denied.includes(text)
      ? { value, deprecated: `write ${String(value)} instead of ${text}` }
      : wrong('true or false');
  },
);

const whole = /^[+-]?\d{1,10}$/;

const number = (expects: string, fits: (value: unknown) => boolean): OptionType =>
  single(expects, fits, text => {
    const value = whole.test(text) ? Number(text) : NaN;
    return fits(value) ? { value } : wrong(expects);
  });

export const integer = (least: number, most = 2_147_483_647): OptionType => {
  const expects = `a whole number from ${least} to ${most}`;
  const fits = (value: unknown): boolean =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  return number(expects, fits);
};

/** -1 means no limit. Rule: Max Staleness. */
export const staleness: OptionType = number(
  'a whole number of at least 1, or -1 for no limit',
  value => Number.isInteger(value) && (value as number) >= -1,
);

export const text: OptionType = single(
  'a string',
  value => typeof value === 'string',
  value => ({ value }),
);

/**
 * A string that is ignored if it is empty. Rule: SOCKS5 Support: a zero-length proxyUsername or proxyPassword must be
 * ignored.
 */
export const textOrNothing: OptionType = {
  ...text,
  mayBeEmpty: true,
  read: texts => (texts[0] === '' ? { value: undefined } : text.read(texts)),
};

export const oneOf = (...values: readonly string[]): OptionType => {
  const expects = `one of ${values.join(', ')}`;
  return single(
    expects,
    value => values.includes(value as string),
    value => (values.includes(value) ? { value } : wrong(expects)),
  );
};

const wholeOrName = 'a whole number of at least 0, or a name such as majority';

/** A number of members or a name. Rule: Read and Write Concern. */
export const members: OptionType = single(
  wholeOrName,
  value =>
    (typeof value === 'number' && Number.isInteger(value) && value >= 0) || (typeof value === 'string' && value !== ''),
  value => {
    if (!/^[+-]?\d+$/.test(value)) return { value };
    return Number(value) < 0 ? wrong(wholeOrName) : { value: Number(value) };
  },
);

/** A comma-separated list. */
export const list: OptionType = {
  expects: 'a list of names, separated by commas',
  accepts: value => Array.isArray(value) && value.every(one => typeof one === 'string'),
  read: texts => {
    const value = texts.flatMap(one => (decoded(one) ?? '').split(',')).filter(one => one !== '');
    return value.length === 0 ? wrong('a list of names, separated by commas') : { value };
  },
};

const pairs = (encoded: string): Record<string, string> | undefined => {
  const properties: Record<string, string> = {};
  if (encoded === '') return properties;
  for (const pair of encoded.split(',')) {
    const colon = pair.indexOf(':');
    const key = colon < 1 ? undefined : decoded(pair.slice(0, colon));
    const value = decoded(pair.slice(colon + 1));
    if (key === undefined || value === undefined) return undefined;
    properties[key] = value;
  }
  return properties;
};

/** Pairs of the form `name:value,name:value`. A value cannot contain a comma. */
export const properties: OptionType = {
  expects: 'pairs name:value, separated by commas',
  accepts: value => typeof value === 'object' && value !== null,
  read: texts => {
    const [encoded = ''] = texts;
    const value = encoded === '' || /%2c/i.test(encoded) ? undefined : pairs(encoded);
    return value === undefined
      ? wrong('pairs name:value, separated by commas that are not percent-encoded')
      : { value };
  },
};

/** One tag set per occurrence. An empty tag set matches any server. Rule: Server Selection, "tag_sets". */
export const tagSets: OptionType = {
  expects: 'tag sets such as dc:ny,rack:1',
  repeats: true,
  accepts: value => Array.isArray(value),
  read: texts => {
    const value = texts.map(pairs);
    return value.includes(undefined) ? wrong('tag sets such as dc:ny,rack:1') : { value };
  },
};

/** A type that is valid only in code. */
export const given = (expects: string, accepts: (value: unknown) => boolean): OptionType => ({
  expects,
  accepts,
  read: () => wrong(`${expects}, given in code`),
});

export const callback: OptionType = given('a function', value => typeof value === 'function');

/** A value that is passed to the host unchanged. */
export const anything: OptionType = given('a value', () => true);

export const object: OptionType = given('an object', value => typeof value === 'object' && value !== null);
