import { MongoError } from '@tessera/contracts';

/**
 * The reason why a value cannot be written. On its way up through the document, it collects the keys that lead to the
 * value.
 */
export class Refusal extends Error {
  private readonly path: string[] = [];

  /** Adds a key to the front of the path. */
  under(key: string): this {
    this.path.unshift(key);
    return this;
  }

  /** Converts the refusal to the error that users see. */
  usage(): MongoError {
    const where = this.path.length === 0 ? 'the document' : `"${this.path.join('.')}"`;
    return new MongoError('usage', `Cannot write ${where} as BSON: ${this.message}.`);
  }
}

/** Checks that BSON can hold the key. @throws Refusal if it contains a NUL. */
export const checkKey = (key: string): void => {
  if (key.includes('\0')) throw new Refusal('its key contains a NUL character, which ends keys in BSON');
};
