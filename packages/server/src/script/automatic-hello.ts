import type { Clock } from '@tessera/contracts';
import { Doc, equal, isNumber, toSafeInteger } from '@tessera/mql/engine';
import type { Answer, Peer } from '../wire/connection.js';
import type { Request } from '../wire/message.js';
import type { Plain } from './plain.js';
import { okReply } from './request.js';

/** The hello of a writable standalone of MongoDB 8.0. */
const standalone: Plain = {
  isWritablePrimary: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
};

/**
 * The hello that a black pipe answers automatically. A hello that awaits a change (`maxAwaitTimeMS`) is answered after
 * the next change.
 */
export class AutomaticHello {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #fields: Plain;

  constructor(clock: Clock, fields: Plain) {
    this.#clock = clock;
    this.#fields = { ...standalone, ...fields };
  }

  /** Changes some fields of the hello, and answers the hellos that await a change. */
  become(fields: Plain): void {
    this.#fields = { ...this.#fields, ...fields };
    for (const wake of [...this.#waiting]) wake();
  }

  #reply({ body }: Request, id: number): Doc {
    const legacy = body.entries()[0]?.[0] !== 'hello';
    const { isWritablePrimary, ...others } = this.#fields;
    return okReply({
      ...(body.get('helloOk') === true ? { helloOk: true } : {}),
      ...(legacy ? { ismaster: isWritablePrimary } : { isWritablePrimary }),
      ...others,
      connectionId: id,
    });
  }

  async answer(request: Request, peer: Peer): Promise<Answer> {
    const wait = request.body.get('maxAwaitTimeMS');
    const known = request.body.get('topologyVersion');
    const now = this.#reply(request, peer.id);
    const current = now.get('topologyVersion');
    if (!isNumber(wait) || known === undefined || current === undefined) return { doc: now };
    const next = async (): Promise<Answer> => {
      await this.#change(toSafeInteger(wait) ?? 0, peer);
      return { doc: this.#reply(request, peer.id), next };
    };
    return equal(known, current) ? next() : { doc: now, next };
  }

  #change(within: number, peer: Peer): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        timer.cancel();
        this.#waiting.delete(done);
        peer.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.#clock.startTimer(within, done);
      this.#waiting.add(done);
      peer.signal.addEventListener('abort', done);
    });
  }
}
