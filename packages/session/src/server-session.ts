import type { BsonCodec, Clock, Document, Elements, Millis, Random } from '@tessera/contracts';

/** A session on the server. One client session uses it at a time. Rule: Driver Sessions, "ServerSession". */
export interface ServerSession {
  /** The document `{ id: UUID }`. */
  readonly id: Document;
  /** The encoded element `lsid: { id: UUID }`. */
  readonly lsid: Elements;
  /** The last transaction number; 0 before the first. */
  txnNumber: number;
  lastUse: Millis;
  /** Whether a connection failed during one of its commands, which may still run on the server. */
  isDirty: boolean;
  /** Whether the server may keep a cursor for it whose id was in a lost reply. */
  mayOwnCursor: boolean;
}

/** The pool of server sessions of a client. Rule: Driver Sessions, "Server Session Pool". */
export interface ServerSessions {
  /** Returns the most recently used session that does not expire soon, or a new one. */
  take(now: Millis): ServerSession;
  /** Returns a session to the pool, or discards it if it is dirty or expires soon. */
  give(session: ServerSession): void;
  /** Takes the session timeout of a handshake; undefined behind a load balancer, where sessions do not expire. */
  learnTimeout(minutes: number | undefined): void;
  /** Closes the pool. Returns the ids of all idle sessions, and of the dirty sessions that may own cursors. */
  close(): readonly Document[];
}

/** The dependencies of the pool of server sessions. */
export interface ServerSessionsDeps {
  readonly bson: BsonCodec;
  readonly clock: Clock;
  readonly random: Random;
}

/** The maximum number of dirty sessions to keep until the client closes. The oldest are dropped first. */
const mostDirty = 10_000;

const minute: Millis = 60_000;

/** Creates the pool of server sessions: last in, first out. Rule: Driver Sessions, "Server Session Pool". */
export const createServerSessions = ({ bson, clock, random }: ServerSessionsDeps): ServerSessions => {
  const idle: ServerSession[] = [];
  /** Sessions that are not used again, but must be ended because the server may keep cursors for them. */
  const dirty: ServerSession[] = [];
  let timeout: Millis = Infinity;
  let isClosed = false;

  const isExpiring = (session: ServerSession, now: Millis): boolean => now - session.lastUse > timeout - minute;

  const create = (now: Millis): ServerSession => {
    const id: Document = { id: new bson.values.Binary(uuid(random), 4) };
    const lsid = bson.elements({ lsid: id });
    return { id, lsid, txnNumber: 0, lastUse: now, isDirty: false, mayOwnCursor: false };
  };

  const discardExpiring = (sessions: ServerSession[], now: Millis): void => {
    let count = 0;
    for (let oldest = sessions[0]; oldest !== undefined && isExpiring(oldest, now); oldest = sessions[count]) count++;
    if (count > 0) sessions.splice(0, count);
  };

  const remember = (session: ServerSession, now: Millis): void => {
    discardExpiring(dirty, now);
    if (dirty.length === mostDirty) dirty.shift();
    dirty.push(session);
  };

  return {
    take(now) {
      for (let session = idle.pop(); session !== undefined; session = idle.pop())
        if (!isExpiring(session, now)) return session;
      return create(now);
    },
    give(session) {
      const now = clock.now();
      discardExpiring(idle, now);
      if (isClosed || isExpiring(session, now)) return;
      if (!session.isDirty) idle.push(session);
      else if (session.mayOwnCursor) remember(session, now);
    },
    learnTimeout(minutes) {
      timeout = minutes === undefined ? Infinity : Math.min(timeout, minutes * minute);
    },
    close() {
      isClosed = true;
      return [...idle.splice(0), ...dirty.splice(0)].map(session => session.id);
    },
  };
};

/** Returns a random UUID, version 4. Rule: Driver Sessions, "Generating a session ID locally"; RFC 4122, section 4.4. */
const uuid = (random: Random): Uint8Array => {
  const bytes = random.bytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes;
};
