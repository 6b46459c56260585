import { MongoError } from '@tessera/contracts';

/** Why a value cannot be written, on its way up through the document, collecting the keys that lead to it. */
export class Refusal extends Error {
  private readonly path: string[] = [];

  /** Adds a key in front of the path. */
  under(key: string): this {
    this.path.unshift(key);
    return this;
  }

  /** As the error that users see. */
  usage(): MongoError {
    const where = this.path.length === 0 ? 'the document' : `"${this.path.join('.')}"`;
    return new MongoError('usage', `Cannot write ${where} as BSON: ${this.message}.`);
  }
}

/** @throws Refusal for a key that BSON cannot hold. */
export const checkKey = (key: string): void => {
  if (key.includes('\0')) throw new Refusal('its key contains a NUL, which ends keys in BSON');
};
