// Classes that programs written for the official driver import or test with `instanceof`. This driver works without
// their instances.
import { AbstractCursor, MongoInvalidArgumentError, TypedEmitter } from '@tessera/client';

/** The cursor of the official driver's change streams. A change stream of this driver has none. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: documents without a schema
export abstract class ChangeStreamCursor<Schema = any> extends AbstractCursor<Schema> {}

/** Cancels the official driver's connections with the event `cancel`. Operations of this driver take a `signal`. */
export class CancellationToken extends TypedEmitter<{ cancel(): void }> {}

/** The authenticators of the official driver's clients. Those of this driver are `parts.authenticators`. */
export class MongoClientAuthProviders {
  /** Always throws. @throws MongoInvalidArgumentError */
  getOrCreateProvider(name: string): never {
    throw new MongoInvalidArgumentError(
      `The authenticator of ${name} belongs to its client. To replace it, pass parts.authenticators to the client.`,
    );
  }
}
