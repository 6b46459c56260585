/** One text for all values that count as equal in a fact. */
import { EJSON } from 'bson';

const numbers = new Set(['Int32', 'Double', 'Long', 'Decimal128']);

/** Returns one text for numbers of one value: `1`, `1.0` and `Decimal128('1')`. */
const numberText = (text: string): string => {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[Ee]([+-]?\d+))?$/.exec(text);
  if (parts === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
};

/** The order of fields and the types of numbers do not count. The order of elements does. */
export const canonical = (value: unknown): string => {
  if (typeof value === 'number' || typeof value === 'bigint') return numberText(String(value));
  if (value === null || value === undefined) return String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const type = (value as { _bsontype?: string })._bsontype;
  if (type !== undefined && numbers.has(type)) return numberText((value as { toString(): string }).toString());
  if (type !== undefined || value instanceof Date || value instanceof RegExp)
    return EJSON.stringify(value, { relaxed: false });
  const fields = Object.entries(value).map(([key, inside]) => `${JSON.stringify(key)}:${canonical(inside)}`);
  return `{${fields.sort().join(',')}}`;
};
