import { isDoc } from '@tessera/mql/engine';
import type { Call, ClientState, Command, Fields, Reply } from '@tessera/server/parts';
import { endsTransaction } from '@tessera/server/parts';

/** What a client has open that is of no use to anybody else. */
export interface Held {
  /** By their numbers; some may be gone. */
  readonly cursors: Set<bigint>;
  /** The latest statement of a transaction that was not ended. */
  statement: Call | undefined;
}

/**
 * What those clients have open at one mongos who came through a load balancer: they do not find it again by another connection, so that
 * all of it ends with theirs. Rule: Load Balancers, "Downstream Visible Behavioral Changes".
 */
export class BalancedClients {
  readonly #held = new WeakMap<ClientState, Held>();

  /**
   * @param left called when a client has gone that was not known before; not when this end has hung up, as a mongos that crashes does,
   * or a fail point that stands for a network which fails
   */
  of(client: ClientState, left: (held: Held) => void): Held {
    const known = this.#held.get(client);
    if (known !== undefined) return known;
    const held: Held = { cursors: new Set(), statement: undefined };
    this.#held.set(client, held);
    client.peer.signal.addEventListener('abort', () => {
      if (!client.peer.isCut) left(held);
    });
    return held;
  }
}

const cursorIn = (reply: Fields | Reply): bigint | undefined => {
  const fields = 'fields' in reply ? reply.fields : reply;
  const cursor = fields.find(([name]) => name === 'cursor')?.[1];
  const id = isDoc(cursor) ? cursor.get('id') : undefined;
  return typeof id === 'bigint' ? id : undefined;
};

/** Takes down what a command has opened and closed. */
export const remember = ({ cursors }: Held, call: Call, { name }: Command, reply: Fields | Reply): void => {
  const id = cursorIn(reply);
  if (id === undefined) return;
  if (id !== 0n) cursors.add(id);
  else if (name === 'getMore') cursors.delete(call.target as bigint);
};

/** Takes down which transaction is open. */
export const rememberStatement = (held: Held, call: Call, command: Command): void => {
  if (call.generic.transaction !== undefined) held.statement = endsTransaction(command) ? undefined : call;
};

/**
 * The latest statement of a transaction that is given up. One whose end was asked for is not, even if a fail point answered: its client
 * asks again by another connection, as drivers' tests do.
 */
export const givenUp = ({ statement }: Held): Call | undefined =>
  statement === undefined || endsTransaction({ name: statement.client.latest ?? '' }) ? undefined : statement;
