import { specification } from './specification.js';
import type { Row, Specification } from './specification.js';

const implicitUuid =
  'The specification forbids new drivers to convert UUIDs implicitly, so the driver has no `uuidRepresentation` option.';

const uuid: readonly Row[] = [
  ['E1', 'Encoding without a representation'],
  ['E2', 'Encoding with STANDARD'],
  ['E3', 'Encoding with JAVA_LEGACY'],
  ['E4', 'Encoding with CSHARP_LEGACY'],
  ['E5', 'Encoding with PYTHON_LEGACY'],
  ['E6', 'Encoding with UNSPECIFIED is an error'],
  ['D1', 'Decoding subtype 4'],
  ['D2', 'Decoding subtype 3 with JAVA_LEGACY'],
  ['D3', 'Decoding subtype 3 with CSHARP_LEGACY'],
  ['D4', 'Decoding subtype 3 with PYTHON_LEGACY'],
  ['I1', 'Implicit encoding with javaLegacy', implicitUuid],
  ['I2', 'Implicit encoding with csharpLegacy', implicitUuid],
  ['I3', 'Implicit encoding with pythonLegacy', implicitUuid],
  ['I4', 'Implicit encoding with standard', implicitUuid],
  ['I5', 'Implicit encoding with unspecified', implicitUuid],
  ['J1', 'Implicit decoding with the legacy representations', implicitUuid],
  ['J2', 'Implicit decoding with standard', implicitUuid],
  ['J3', 'Implicit decoding with unspecified', implicitUuid],
];

const asNpmBson =
  'Two documents of the text, one with `$id: null` and one with an extra field `$foo`, are decoded to plain documents, as npm `bson` does.';

const dbRefs: readonly Row[] = [
  ['D1', 'Valid documents are decoded to DBRefs', undefined, asNpmBson],
  ['D2', 'Valid documents with extra fields are decoded to DBRefs', undefined, asNpmBson],
  ['D3', 'Valid documents with fields out of order are decoded to DBRefs'],
  ['D4', 'Documents without a required field are not decoded to DBRefs'],
  ['D5', 'Documents with a field of the wrong type are not decoded to DBRefs'],
  ['E1', 'DBRefs are encoded with their fields in order'],
  ['E2', 'DBRefs with extra fields are encoded with their fields in order'],
  ['E3', 'DBRefs decoded from fields out of order are encoded in order'],
];

/** BSON and the values in it. */
export const documents: readonly Specification[] = [
  specification('BSON Corpus', '2 has four parts, 2.1 to 2.4.', [
    ['1', 'Null bytes in null-terminated strings are an error'],
    ['2', 'Duplicate keys are encoded and decoded'],
  ]),
  specification('BSON Binary Vector', '', [
    ['1', 'Encoding a vector whose ignored bits are not zero'],
    ['2', 'Decoding a vector whose ignored bits are not zero'],
    ['3', 'Comparing vectors whose ignored bits are not zero'],
  ]),
  specification('BSON ObjectID', 'Numbered in the order of the test plan.', [
    ['1', 'The timestamp is an unsigned 32-bit number of seconds'],
    ['2', 'The counter overflows from 0xFFFFFF to 0x000000'],
    ['3', 'A new process has another random value'],
  ]),
  specification(
    'BSON Binary UUID',
    'E, D, I and J are the tests of explicit encoding, explicit decoding, implicit encoding and implicit decoding.',
    uuid,
  ),
  specification('DBRef', 'D1 to D5 are the tests of decoding, E1 to E3 those of encoding.', dbRefs),
];
