import type { BsonCodec, Clock, Document, Elements, Millis, Random } from '@tessera/contracts';

/** What the server knows a session by. One client session uses it at a time. Rule: Driver Sessions, "ServerSession". */
export interface ServerSession {
  /** `{ id: UUID }` */
  readonly id: Document;
  /** `lsid: { id: UUID }`, ready to be appended. */
  readonly lsid: Elements;
  /** The last one used, 0 for none. */
  txnNumber: number;
  lastUse: Millis;
  /** It was in use when a connection was lost: the server may still be busy with it. */
  isDirty: boolean;
  /** The server may keep a cursor for it that the driver does not know: the reply that names the cursor was lost. */
  mayOwnCursor: boolean;
}

export interface ServerSessions {
  take(): ServerSession;
  give(session: ServerSession): void;
  /** What a handshake said; undefined behind a load balancer, where sessions do not expire. */
  learnTimeout(minutes: number | undefined): void;
  /** Takes the ids of all idle sessions and of the dirty ones that may own cursors, and keeps no session from now on. */
  close(): readonly Document[];
}

export interface ServerSessionsDeps {
  readonly bson: BsonCodec;
  readonly clock: Clock;
  readonly random: Random;
}

/** How many dirty sessions are remembered until the client closes; the oldest are forgotten first. */
const mostDirty = 10_000;

const minute: Millis = 60_000;

/** The last one given back is the first one taken. Rule: Driver Sessions, "Server Session Pool". */
export const createServerSessions = ({ bson, clock, random }: ServerSessionsDeps): ServerSessions => {
  const idle: ServerSession[] = [];
  /** Never used again, but the server may keep cursors for these sessions until they end. */
  const dirty: ServerSession[] = [];
  let timeout: Millis = Infinity;
  let isClosed = false;

  const isExpiring = (session: ServerSession, now: Millis): boolean => now - session.lastUse > timeout - minute;

  const create = (): ServerSession => {
    const id: Document = { id: new bson.values.Binary(uuid(random), 4) };
    const lsid = bson.elements({ lsid: id });
    return { id, lsid, txnNumber: 0, lastUse: clock.now(), isDirty: false, mayOwnCursor: false };
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
    take() {
      const now = clock.now();
      for (let session = idle.pop(); session !== undefined; session = idle.pop())
        if (!isExpiring(session, now)) return session;
      return create();
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

/** Version 4. Rule: Driver Sessions, "Generating a session ID locally"; RFC 4122, section 4.4. */
const uuid = (random: Random): Uint8Array => {
  const bytes = random.bytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes;
};
