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
}

export interface ServerSessions {
  take(): ServerSession;
  give(session: ServerSession): void;
  /** What a handshake said; undefined behind a load balancer, where sessions do not expire. */
  learnTimeout(minutes: number | undefined): void;
  /** Takes all that are idle, and keeps none from now on. */
  close(): readonly Document[];
}

export interface ServerSessionsDeps {
  readonly bson: BsonCodec;
  readonly clock: Clock;
  readonly random: Random;
}

const minute: Millis = 60_000;

/** The last one given back is the first one taken. Rule: Driver Sessions, "Server Session Pool". */
export const createServerSessions = ({ bson, clock, random }: ServerSessionsDeps): ServerSessions => {
  const idle: ServerSession[] = [];
  let timeout: Millis = Infinity;
  let isClosed = false;

  const isExpiring = (session: ServerSession, now: Millis): boolean => now - session.lastUse > timeout - minute;

  const create = (): ServerSession => {
    const id: Document = { id: new bson.values.Binary(uuid(random), 4) };
    return { id, lsid: bson.elements({ lsid: id }), txnNumber: 0, lastUse: clock.now(), isDirty: false };
  };

  const discardExpiring = (now: Millis): void => {
    let count = 0;
    for (let oldest = idle[0]; oldest !== undefined && isExpiring(oldest, now); oldest = idle[count]) count++;
    if (count > 0) idle.splice(0, count);
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
      discardExpiring(now);
      if (!isClosed && !session.isDirty && !isExpiring(session, now)) idle.push(session);
    },
    learnTimeout(minutes) {
      timeout = minutes === undefined ? Infinity : Math.min(timeout, minutes * minute);
    },
    close() {
      isClosed = true;
      return idle.splice(0).map(session => session.id);
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
