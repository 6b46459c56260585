import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { decode, encode, vectorIn, vectorOf, vectorTypes } from '@tessera/bson';
import type { VectorType } from '@tessera/bson';
import type { Binary } from 'bson';
import { judge } from '../suite.js';
import type { Suite } from '../suite.js';

interface VectorCase {
  readonly description: string;
  readonly valid: boolean;
  readonly vector?: readonly (number | { readonly $numberDouble: string })[];
  readonly dtype_hex: string;
  readonly padding?: number;
  readonly canonical_bson?: string;
}

interface VectorFile {
  readonly test_key: string;
  readonly tests: readonly VectorCase[];
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase();

const typeOf = (hex: string): VectorType => {
  const found = Object.entries(vectorTypes).find(([, code]) => code === Number(hex));
  ok(found, `There is no vector type ${hex}.`);
  return found[0] as VectorType;
};

const check = (key: string, test: VectorCase): void => {
  const type = typeOf(test.dtype_hex);
  const elements = test.vector?.map(element => (typeof element === 'number' ? element : Number(element.$numberDouble)));
  const { padding = 0, canonical_bson: hex } = test;
  const read = (): unknown => vectorIn(decode(Buffer.from(hex ?? '', 'hex'))[key] as Binary);
  if (!test.valid) {
    ok(elements !== undefined || hex !== undefined, 'The case has neither elements nor bytes.');
    if (elements !== undefined) throws(() => encode({ [key]: vectorOf(type, elements, padding) }), { kind: 'usage' });
    if (hex !== undefined) throws(read, { kind: 'usage' });
    return;
  }
  ok(elements !== undefined && hex !== undefined, 'A valid case must have elements and bytes.');
  strictEqual(hexOf(encode({ [key]: vectorOf(type, elements, padding) })), hex, 'elements → bytes');
  deepStrictEqual(
    read(),
    type === 'packedBit'
      ? { type, elements: Uint8Array.from(elements), padding }
      : { type, elements: type === 'int8' ? Int8Array.from(elements) : Float32Array.from(elements) },
    'bytes → elements',
  );
};

/** Rule: BSON Binary Subtype 9, tests/README, "Required tests". */
export const run: Suite = files =>
  files.flatMap(({ name, json }) => {
    const { test_key: key, tests } = json as VectorFile;
    return tests.map(test => judge(name, test.description, () => check(key, test)));
  });
