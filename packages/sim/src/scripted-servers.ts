/** Servers with scripted hello replies, for tests of monitors. There are no bytes and no sockets. */
import type { Address, Clock, Connect, Connection, ConnectOptions, Document, Hello, Millis } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createAbort } from './case.js';

export interface ScriptedServer {
  /** The reply to hello. Undefined if nothing listens at the address. */
  hello: Document | undefined;
  /** The time until a reply. */
  delay: Millis;
}

export interface ServerScript {
  /** Opens connections for monitors: the handshake and `command` return the server's current hello. */
  readonly connect: Connect;
  /** The servers by address. Tests may add, change and remove them. */
  readonly servers: Map<Address, ScriptedServer>;
  /** The connections that are open. */
  readonly open: number;
}

/** A hello with the fields that every current MongoDB server sends. */
export const helloDocument = (more: Document = {}): Document => ({
  helloOk: true,
  isWritablePrimary: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 25,
  logicalSessionTimeoutMinutes: 30,
  ok: 1,
  ...more,
});

/** Returns the Hello of a server that replied with this document. */
export const helloFrom = (document: Document, roundTrip: Millis): Hello => ({
  document,
  serviceId: undefined,
  connectionId: undefined,
  maxWireVersion: Number(document['maxWireVersion']),
  logicalSessionTimeoutMinutes: Number(document['logicalSessionTimeoutMinutes']),
  maxBsonObjectSize: Number(document['maxBsonObjectSize']),
  maxMessageSizeBytes: Number(document['maxMessageSizeBytes']),
  maxWriteBatchSize: Number(document['maxWriteBatchSize']),
  roundTrip,
});

/** Returns a {@link Connect} to scripted servers on the given clock. */
export const scriptServers = ({ clock }: { readonly clock: Clock }): ServerScript => {
  const servers = new Map<Address, ScriptedServer>();
  let open = 0;

  const ask = async (
    to: Address,
    phase: 'connect' | 'command',
    { deadline, signal }: Pick<ConnectOptions, 'deadline' | 'signal'>,
  ): Promise<Document> => {
    const origin = { phase, sent: phase === 'command', address: to } as const;
    const wait = servers.get(to)?.delay ?? 1;
    const late = clock.now() + wait >= deadline;
    try {
      await clock.sleep(late ? deadline - clock.now() : wait, signal);
    } catch (cause) {
      throw new MongoError('aborted', `Connecting to ${to} was aborted.`, { cause, origin });
    }
    if (late) throw new MongoError('timeout', `${to} did not answer in time.`, { origin });
    const hello = servers.get(to)?.hello;
    if (hello === undefined) throw new MongoError('network', `${to} refused the connection.`, { origin });
    return hello;
  };

  const connect: Connect = async (to, options) => {
    const begun = clock.now();
    const document = await ask(to, 'connect', options);
    const closing = createAbort();
    open += 1;
    const connection: Connection = {
      id: options.id,
      address: to,
      hello: helloFrom(document, clock.now() - begun),
      get closed() {
        return closing.signal.aborted;
      },
      start: message => {
        message.fail(new MongoError('usage', 'A scripted server answers `command` only.'));
      },
      command: async (_db, command, deadline, many) => {
        const { signal } = closing;
        // The server's state does not change, so the reply waits for the whole time.
        const wait = Number(command['maxAwaitTimeMS'] ?? 0);
        if (wait > 0) await clock.sleep(wait, signal);
        const reply = await ask(to, 'command', { deadline, signal });
        many?.received(reply);
        return reply;
      },
      detach: () => !closing.signal.aborted,
      close: cause => {
        if (closing.signal.aborted) return;
        open -= 1;
        closing.abort(cause ?? new MongoError('network', `The connection to ${to} was closed.`));
      },
    };
    return connection;
  };

  return {
    connect,
    servers,
    get open() {
      return open;
    },
  };
};
