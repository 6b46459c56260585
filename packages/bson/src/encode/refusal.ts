import { MongoError } from '@tessera/contracts';

/**
 * The reason why a value cannot be written. On its way up through the document, it collects the keys that lead to the
 * value.
 */
export class Refusal extends Error {
  private path: string[] = [];
  private readonly cycle: object | undefined;

  /** @param cycle the object that contains itself, if that is the reason */
  constructor(why: string, cycle?: object) {
    super(why);
    this.cycle = cycle;
  }

  /**
   * Adds the key of a value to the front of the path. The cycle is found deep inside the document, so the path first
   * runs through it many times. Each return to the object that contains itself drops the keys below it.
   */
  under(key: string, value: unknown): this {
    if (this.cycle !== undefined && value === this.cycle) this.path = [];
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
