import { isDoc } from '@tessera/mql/engine';
import type { Call, ClientState, Command, Fields, Reply } from '@tessera/server/parts';
import { endsTransaction } from '@tessera/server/parts';

/** The cursors and the transaction that a client has open. */
export interface OpenState {
  /** The ids of the client's cursors. Some may no longer exist. */
  readonly cursors: Set<bigint>;
  /** The latest statement of a transaction that has not ended. */
  statement: Call | undefined;
}

/**
 * The open cursors and transactions of clients that connected to a mongos through a load balancer. Another connection
 * may reach another mongos, so they end with their connection. Rule: Load Balancers, "Downstream Visible Behavioral
 * Changes".
 */
export class BalancedClients {
  readonly #held = new WeakMap<ClientState, OpenState>();

  /**
   * Returns the state of a client.
   * @param left called when the client has disconnected. It is not called if the server closed the connection, as a
   * crashed mongos or a fail point that simulates a network error does.
   */
  of(client: ClientState, left: (held: OpenState) => void): OpenState {
    const known = this.#held.get(client);
    if (known !== undefined) return known;
    const held: OpenState = { cursors: new Set(), statement: undefined };
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

/** Records the cursor that a command opened or exhausted. */
export const recordCursor = ({ cursors }: OpenState, call: Call, { name }: Command, reply: Fields | Reply): void => {
  const id = cursorIn(reply);
  if (id === undefined) return;
  if (id !== 0n) cursors.add(id);
  else if (name === 'getMore') cursors.delete(call.target as bigint);
};

/** Records the open transaction. */
export const recordTransaction = (held: OpenState, call: Call, command: Command): void => {
  if (call.generic.transaction !== undefined) held.statement = endsTransaction(command) ? undefined : call;
};

/**
 * Returns the latest statement of an abandoned transaction. A transaction whose last command was a commit or an abort
 * is not abandoned, even if a fail point answered that command, because drivers retry it on another connection.
 */
export const abandonedStatement = ({ statement }: OpenState): Call | undefined =>
  statement === undefined || endsTransaction({ name: statement.client.latest ?? '' }) ? undefined : statement;
