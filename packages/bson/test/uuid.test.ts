import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { decode, encode, uuidBinaryOf, uuidIn, type UuidRepresentation } from '@tessera/bson';

const uuid = new npm.UUID('00112233-4455-6677-8899-aabbccddeeff');
const standard = '00112233445566778899AABBCCDDEEFF';
const java = '7766554433221100FFEEDDCCBBAA9988';
const csharp = '33221100554477668899AABBCCDDEEFF';

const unspecified = 'unspecified' as UuidRepresentation;
const binary = (subtype: number, hex: string): npm.Binary => new npm.Binary(Buffer.from(hex, 'hex'), subtype);
const shown = ({ sub_type, buffer }: npm.Binary): unknown => ({
  subtype: sub_type,
  data: Buffer.from(buffer).toString('hex').toUpperCase(),
});

describe('explicit encoding', () => {
  test.each<[string, UuidRepresentation | undefined, number, string]>([
    ['BSON Binary UUID, prose test E1: no representation', undefined, 4, standard],
    ['BSON Binary UUID, prose test E2: STANDARD', 'standard', 4, standard],
    ['BSON Binary UUID, prose test E3: JAVA_LEGACY', 'javaLegacy', 3, java],
    ['BSON Binary UUID, prose test E4: CSHARP_LEGACY', 'csharpLegacy', 3, csharp],
    ['BSON Binary UUID, prose test E5: PYTHON_LEGACY', 'pythonLegacy', 3, standard],
  ])('%s', (_, representation, subtype, data) => {
    const made = uuidBinaryOf(uuid, representation);
    expect(shown(made)).toEqual({ subtype, data });
    expect(made.constructor).toBe(npm.Binary);
  });

  test('BSON Binary UUID, prose test E6: UNSPECIFIED is an error', () => {
    for (const representation of [unspecified, 'toString' as UuidRepresentation, null as never])
      expect(() => uuidBinaryOf(uuid, representation)).toThrow(
        `Unknown UUID representation ${JSON.stringify(representation)}: use one of standard, csharpLegacy, javaLegacy, pythonLegacy.`,
      );
  });
});

describe('explicit decoding', () => {
  const all = [undefined, 'standard', unspecified, 'javaLegacy', 'csharpLegacy', 'pythonLegacy'] as const;
  const reading = (given: npm.Binary, representation: UuidRepresentation | undefined): string => {
    try {
      return uuidIn(given, representation).toHexString();
    } catch (error) {
      expect(error).toMatchObject({ kind: 'usage' });
      return 'error';
    }
  };

  test('BSON Binary UUID, prose test D1: subtype 4', () => {
    expect(all.map(one => reading(binary(4, standard), one))).toEqual([
      uuid.toHexString(),
      uuid.toHexString(),
      ...['error', 'error', 'error', 'error'],
    ]);
  });

  test.each<[string, string, UuidRepresentation]>([
    ['BSON Binary UUID, prose test D2: subtype 3, JAVA_LEGACY', java, 'javaLegacy'],
    ['BSON Binary UUID, prose test D3: subtype 3, CSHARP_LEGACY', csharp, 'csharpLegacy'],
    ['BSON Binary UUID, prose test D4: subtype 3, PYTHON_LEGACY', standard, 'pythonLegacy'],
  ])('%s', (_, data, representation) => {
    const legacy = binary(3, data);
    expect([undefined, 'standard', unspecified, representation].map(one => reading(legacy, one as never))).toEqual([
      ...['error', 'error', 'error'],
      uuid.toHexString(),
    ]);
  });

  test('rejects a binary that is not a UUID, with the reason', () => {
    expect(() => uuidIn(binary(4, '0011'))).toThrow(
      'A UUID in the representation "standard" is a binary of subtype 4 with 16 bytes, but this one has subtype 4 and 2 bytes.',
    );
  });
});

describe('implicit encoding and decoding', () => {
  test('encodes a UUID as subtype 4, and decodes only subtype 4 as a UUID', () => {
    const legacy = uuidBinaryOf(uuid, 'pythonLegacy');
    const read = decode(encode({ standard: uuid, legacy }));
    expect(read).toStrictEqual({ standard: uuid, legacy });
    expect((read['legacy'] as npm.Binary).constructor).toBe(npm.Binary);
  });
});
