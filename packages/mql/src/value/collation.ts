import { spend } from '../work/meter.js';
import { fail } from '../errors.js';
import type { SearchableCollation } from './compare.js';
import { compareStrings, equal } from './compare.js';
import { createKeys } from './collation-keys.js';
import { Doc } from './doc.js';
import { safeIntegerOf } from './numbers.js';
import { show, showDoc } from './show.js';
import type { Value } from './value.js';

const number = (spec: Doc, name: string, value: Value): number => {
  const n = safeIntegerOf(value);
  if (n === undefined) throw fail('TypeMismatch', `Field '${name}' must be an integer in: ${showDoc(spec)}`);
  return n;
};

const sensitivityOf = (strength: number, caseLevel: boolean): Intl.CollatorOptions['sensitivity'] => {
  if (strength === 1) return caseLevel ? 'case' : 'base';
  return strength === 2 && !caseLevel ? 'accent' : 'variant';
};

/** The version of ICU whose collation MongoDB uses. */
const icuVersion = '57.1';

const fields: ReadonlySet<string> = new Set([
  'locale',
  'caseLevel',
  'caseFirst',
  'strength',
  'numericOrdering',
  'alternate',
  'maxVariable',
  'normalization',
  'backwards',
  'version',
]);

const strengthOf = (spec: Doc): number => {
  const strength = spec.has('strength') ? number(spec, 'strength', spec.get('strength')!) : 3;
  if (strength >= 1 && strength <= 5) return strength;
  throw fail('FailedToParse', `Field 'strength' must be an integer 1 through 5. Got ${strength}`);
};

/** The options that reject null. The others ignore it. */
const noNull: ReadonlySet<string> = new Set(['normalization', 'backwards']);

const checkBooleans = (spec: Doc): void => {
  for (const name of ['caseLevel', 'numericOrdering', 'normalization', 'backwards']) {
    const value = spec.get(name);
    if (value === undefined || typeof value === 'boolean' || (value === null && !noNull.has(name))) continue;
    throw fail('TypeMismatch', `Field '${name}' must be a boolean in: ${showDoc(spec)}`);
  }
};

const settingsOf = (spec: Doc): Intl.CollatorOptions => {
  const strength = strengthOf(spec);
  const caseFirst = spec.get('caseFirst') ?? 'off';
  if (caseFirst !== 'upper' && caseFirst !== 'lower' && caseFirst !== 'off') {
    throw fail('BadValue', `Field 'caseFirst' must be 'upper', 'lower' or 'off' in: ${showDoc(spec)}`);
  }
  return {
    sensitivity: sensitivityOf(strength, spec.get('caseLevel') === true),
    numeric: spec.get('numericOrdering') === true,
    ignorePunctuation: spec.get('alternate') === 'shifted',
    caseFirst: caseFirst === 'off' ? 'false' : caseFirst,
  };
};

const collatorOf = (spec: Doc, locale: string): Intl.Collator => {
  const tag = locale.replace('_', '-').replace('@collation=', '-u-co-');
  try {
    if (Intl.Collator.supportedLocalesOf(tag).length > 0) return new Intl.Collator(tag, settingsOf(spec));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw fail('BadValue', `Field 'locale' is invalid in: ${showDoc(spec)}`);
};

type Compare = (a: string, b: string) => number;

/**
 * Compares strings that are equal on the first three levels, where Intl.Collator stops. Punctuation that was ignored is
 * compared by its primary weights, which are below those of all letters. In Japanese, the scripts are compared.
 */
const quaternary = (spec: Doc, locale: string): Compare => {
  const punctuation =
    spec.get('alternate') === 'shifted' ? new Intl.Collator('en', { sensitivity: 'base' }) : undefined;
  const scripts = /^ja(?![a-z])/.test(locale) ? new Intl.Collator('en') : undefined;
  return (a, b) => (punctuation?.compare(a, b) ?? 0) || (scripts?.compare(a, b) ?? 0);
};

/** Compares strings by code points after canonical decomposition: the fifth level. */
const identical: Compare = (a, b) => compareStrings(a.normalize('NFD'), b.normalize('NFD'));

const levelsOf = (spec: Doc, locale: string): readonly Compare[] => {
  const collator = collatorOf(spec, locale);
  const strength = strengthOf(spec);
  const levels: Compare[] = [(a, b) => collator.compare(a, b)];
  if (strength >= 4) levels.push(quaternary(spec, locale));
  if (strength === 5) levels.push(identical);
  return levels;
};

/**
 * Creates a collation from MongoDB's collation document. Strings are compared by the host's Unicode collator. Returns
 * undefined for `{ locale: 'simple' }`, which compares bytes. `backwards`, `normalization` and `maxVariable` have
 * no effect.
 * @throws CommandError for unknown fields, a missing or unknown locale, another version, or a strength out of range
 */
export const createCollation = (spec: Doc): SearchableCollation | undefined => {
  for (const name of spec.keys()) {
    if (!fields.has(name)) throw fail('IDLUnknownField', `BSON field 'collation.${name}' is an unknown field.`);
  }
  const locale = spec.get('locale');
  if (locale === undefined) {
    throw fail('IDLFailedToParse', `BSON field 'collation.locale' is missing but a required field`);
  }
  if (typeof locale !== 'string') {
    throw fail('TypeMismatch', `BSON field 'collation.locale' is the wrong type, expected type 'string'`);
  }
  if (locale === 'simple') {
    if (spec.size === 1) return undefined;
    throw fail('FailedToParse', `If locale=simple, no other fields should be present in: ${showDoc(spec)}`);
  }
  const version = spec.get('version') ?? icuVersion;
  if (version !== icuVersion)
    throw fail(
      'IncompatibleCollationVersion',
      `Requested collation version, ${show(version)}, not available. Only version ${icuVersion} is available`,
    );
  checkBooleans(spec);
  const levels = levelsOf(spec, locale);
  const compare: Compare = (a, b) => {
    spend(4 + ((a.length + b.length) >>> 3));
    for (const level of levels) {
      const order = level(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
  return { compare, ...createKeys(compare) };
};

const standards: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['caseLevel', false],
  ['caseFirst', 'off'],
  ['strength', 3],
  ['numericOrdering', false],
  ['alternate', 'non-ignorable'],
  ['maxVariable', 'punct'],
  ['normalization', false],
  ['backwards', false],
]);

const localeOf = (spec: Doc | undefined): Value => spec?.get('locale') ?? 'simple';

/** Defaults of locales that differ from those of all others. */
const ofLocale: ReadonlyMap<string, readonly [name: string, value: Value]> = new Map([
  ['da', ['caseFirst', 'upper']],
  ['fr_CA', ['backwards', true]],
  ['mt', ['caseFirst', 'upper']],
  ['th', ['alternate', 'shifted']],
]);

/** Returns a collation document with all its fields, as MongoDB lists it. */
export const fullCollation = (spec: Doc): Doc => {
  const locale = localeOf(spec);
  const special = typeof locale === 'string' ? ofLocale.get(locale) : undefined;
  return Doc.of([
    ['locale', locale],
    ...[...standards].map(([name, standard]): [string, Value] => [
      name,
      spec.get(name) ?? (name === special?.[0] ? special[1] : standard),
    ]),
    ['version', icuVersion],
  ]);
};

/**
 * Returns whether two collation documents mean the same once defaults are filled in. An absent collation means
 * `simple`.
 */
export const isSameCollation = (a: Doc | undefined, b: Doc | undefined): boolean => {
  if (localeOf(a) !== localeOf(b)) return false;
  if (localeOf(a) === 'simple') return true;
  return [...standards].every(([name, standard]) => equal(a?.get(name) ?? standard, b?.get(name) ?? standard));
};
