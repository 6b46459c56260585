import { MongoError } from '@tessera/contracts';
import { Binary, UUID } from './values.js';

/** The subtype and byte order in which a UUID is stored. Rule: BSON Binary UUID, "UuidRepresentation". */
export type UuidRepresentation = 'standard' | 'csharpLegacy' | 'javaLegacy' | 'pythonLegacy';

/** For each position, the index of the UUID byte stored there. Each order is its own inverse. */
const orders: Readonly<Record<UuidRepresentation, readonly number[]>> = {
  standard: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  csharpLegacy: [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15],
  javaLegacy: [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8],
  pythonLegacy: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
};

const orderOf = (representation: UuidRepresentation): readonly number[] => {
  if (!Object.hasOwn(orders, representation)) {
    throw new MongoError(
      'usage',
      `Unknown UUID representation ${JSON.stringify(representation)}: use one of ${Object.keys(orders).join(', ')}.`,
    );
  }
  return orders[representation];
};

const subtypeOf = (representation: UuidRepresentation): number => (representation === 'standard' ? 4 : 3);

/**
 * Encodes a UUID in the representation of another driver: subtype 4, or subtype 3 in that driver's byte order.
 * @throws MongoError `usage` for an unknown representation. Rule: BSON Binary UUID, "Explicit encoding and decoding".
 */
export const uuidBinaryOf = (uuid: UUID, representation: UuidRepresentation = 'standard'): Binary => {
  const order = orderOf(representation);
  return new Binary(
    Uint8Array.from(order, at => uuid.buffer[at]!),
    subtypeOf(representation),
  );
};

/**
 * Decodes the UUID in a binary of this representation.
 * @throws MongoError `usage` for an unknown representation, subtype or length. Rule: as for {@link uuidBinaryOf}.
 */
export const uuidIn = (binary: Binary, representation: UuidRepresentation = 'standard'): UUID => {
  const order = orderOf(representation);
  const subtype = subtypeOf(representation);
  if (binary.sub_type !== subtype || binary.position !== 16) {
    throw new MongoError(
      'usage',
      `A UUID in the representation "${representation}" is a binary of subtype ${String(subtype)} with 16 bytes, but this one has subtype ${String(binary.sub_type)} and ${String(binary.position)} bytes.`,
    );
  }
  return new UUID(Uint8Array.from(order, at => binary.buffer[at]!));
};
