import type { Document, Session, Timestamp } from '@tessera/contracts';
import type { ClientSessionState } from '@tessera/session';
import { MongoExpiredSessionError, MongoInvalidArgumentError, publicError } from './errors.js';
import type { Origin } from './handle.js';

export interface ClientSessionOptions {
  /** Reads see what was read and written before in the same session. Default true. */
  readonly causalConsistency?: boolean | undefined;
}

/** A session of the application's own, under the official driver's names. Not for concurrent use. */
export class ClientSession {
  readonly #client: Origin;
  readonly #options: ClientSessionOptions;
  #state: ClientSessionState | undefined;
  #ended = false;

  constructor(client: Origin, options: ClientSessionOptions) {
    if ((options as { readonly snapshot?: unknown }).snapshot === true)
      throw new MongoInvalidArgumentError('Snapshot sessions are not supported by this version; leave snapshot out.');
    this.#client = client;
    this.#options = options;
  }

  get client(): unknown {
    return this.#client;
  }
  get explicit(): boolean {
    return true;
  }
  /** Ended by itself, or with its client. */
  get hasEnded(): boolean {
    return this.#ended || this.#state?.hasEnded === true;
  }
  /** `{ id: UUID }` */
  get id(): Document {
    return this.#live().id;
  }
  get clusterTime(): Document | undefined {
    return this.#state?.clusterTime;
  }
  get operationTime(): Timestamp | undefined {
    return this.#state?.operationTime;
  }
  get supports(): { readonly causalConsistency: boolean } {
    return { causalConsistency: this.#options.causalConsistency ?? true };
  }

  /** No transaction is ever under way. */
  inTransaction(): boolean {
    return false;
  }

  /** @throws MongoInvalidArgumentError unless it has the form of another session's clusterTime. */
  advanceClusterTime(clusterTime: Document): void {
    try {
      this.#live().advanceClusterTime(clusterTime);
    } catch (error) {
      throw publicError(error);
    }
  }

  advanceOperationTime(operationTime: Timestamp): void {
    this.#live().advanceOperationTime(operationTime);
  }

  equals(other: unknown): boolean {
    return other === this;
  }

  /** The session as operations of this client use it. @throws MongoExpiredSessionError, MongoInvalidArgumentError. */
  use(client: Origin): Session {
    if (client !== this.#client)
      throw new MongoInvalidArgumentError('The session belongs to another client; start one with this client.');
    return this.#live();
  }

  endSession(): Promise<void> {
    this.#ended = true;
    this.#state?.end();
    return Promise.resolve();
  }

  /** A session cannot be part of a document. */
  toBSON(): never {
    throw new MongoInvalidArgumentError('A session cannot be stored; pass it as the option { session }.');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.endSession();
  }

  #live(): ClientSessionState {
    if (this.hasEnded) throw new MongoExpiredSessionError('The session has ended; start another with startSession().');
    return (this.#state ??= this.#client.driver.sessions.start(this.#options));
  }
}
