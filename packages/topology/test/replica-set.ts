/** A minimal replica set in a simulated world: hello, insert with transaction numbers, find and replSetStepDown. */
import { bson } from '@tessera/bson';
import type { Address, Document, Listening, Socket, Timer } from '@tessera/contracts';
import type { World } from '@tessera/sim';
import { createWire } from '@tessera/wire';
import { Binary, Long, ObjectId, Timestamp } from 'bson';

const wire = createWire({ bson, compressors: [] });

export interface ReplicaSet {
  readonly members: readonly Address[];
  /** The ids of the inserted documents in order of execution. */
  readonly inserted: readonly number[];
  /** Steps down the primary. There is no primary until the election has ended. */
  stepDown(next: Address, electionTakes: number): void;
  close(): Promise<void>;
}

export const openReplicaSet = async (world: World, members: readonly Address[]): Promise<ReplicaSet> => {
  const { clock } = world.runtime;
  const inserted: number[] = [];
  const done = new Map<string, Document>();
  const processes = new Map(members.map(member => [member, new ObjectId()]));
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  let primary: Address | undefined = members[0];
  let term = 1;
  let time = 1;
  let lastWrite = clock.wallTime();
  let election: Timer | undefined;

  const topologyVersion = (member: Address): Document => ({
    processId: processes.get(member),
    counter: Long.fromNumber(2 * term + (primary === undefined ? 1 : 0)),
  });

  const times = (): Document => {
    const operationTime = new Timestamp({ t: 1000, i: time });
    const signature = { hash: new Binary(new Uint8Array(20), 0), keyId: Long.ZERO };
    return { operationTime, $clusterTime: { clusterTime: operationTime, signature } };
  };

  const hello = (member: Address): Document => ({
    helloOk: true,
    isWritablePrimary: member === primary,
    secondary: member !== primary,
    setName: 'rs',
    setVersion: 1,
    hosts: members,
    me: member,
    ...(primary === undefined ? {} : { primary }),
    ...(member === primary ? { electionId: ObjectId.createFromTime(term) } : {}),
    topologyVersion: topologyVersion(member),
    lastWrite: { lastWriteDate: new Date(lastWrite) },
    logicalSessionTimeoutMinutes: 30,
    minWireVersion: 0,
    maxWireVersion: 25,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    ok: 1,
  });

  const insert = (member: Address, command: Document): Document => {
    const { id } = command['lsid'] as { readonly id: Binary };
    const key = `${Buffer.from(id.buffer).toString('hex')}/${String(command['txnNumber'])}`;
    const before = done.get(key);
    if (before !== undefined) return before;
    if (member !== primary)
      return {
        ok: 0,
        errmsg: 'not primary',
        code: 10107,
        codeName: 'NotWritablePrimary',
        errorLabels: ['RetryableWriteError'],
        topologyVersion: topologyVersion(member),
      };
    inserted.push(command['document'] as number);
    lastWrite = clock.wallTime();
    const reply = { ok: 1, n: 1 };
    done.set(key, reply);
    return reply;
  };

  const answer = (member: Address, command: Document): Document => {
    const [name] = Object.keys(command);
    time++;
    switch (name) {
      case 'hello':
      case 'isMaster':
      case 'ismaster':
        return hello(member);
      case 'insert':
        return { ...insert(member, command), ...times() };
      case 'find':
        return { ok: 1, n: inserted.length, ...times() };
      default:
        return { ok: 0, errmsg: `no such command: '${String(name)}'`, code: 59, ...times() };
    }
  };

  /** Sends a hello reply whenever the state changes or maxAwaitTimeMS has passed. */
  const push = (
    member: Address,
    command: Document,
    isWanted: () => boolean,
    send: (reply: Document, more: boolean) => void,
  ): void => {
    const wait = (): void => {
      const timer = clock.startTimer(Number(command['maxAwaitTimeMS']), () => {
        wake();
      });
      const wake = (): void => {
        timer.cancel();
        waiting.delete(wake);
        if (!isWanted()) return;
        send(hello(member), true);
        wait();
      };
      waiting.add(wake);
    };
    const { counter } = command['topologyVersion'] as { readonly counter: number };
    const isKnown = counter === (topologyVersion(member)['counter'] as Long).toNumber();
    if (!isKnown) send(hello(member), true);
    wait();
  };

  const changed = (): void => {
    for (const wake of [...waiting]) wake();
  };

  const accept = (member: Address) => (socket: Socket) => {
    sockets.add(socket);
    let pending = Buffer.alloc(0);
    const room = Buffer.alloc(65_536);
    socket.listen({
      room: () => room,
      filled: length => {
        pending = Buffer.concat([pending, room.subarray(0, length)]);
        while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
          const frame = pending.subarray(0, pending.readInt32LE(0));
          pending = pending.subarray(frame.length);
          const requestId = frame.readInt32LE(4);
          const command = wire.document(frame);
          const send = (reply: Document, more = false): void => {
            if (sockets.has(socket)) socket.write(frameOf(reply, requestId, more));
          };
          // The delay lets faults hit commands that have run but whose replies have not been sent.
          if (command['topologyVersion'] === undefined)
            clock.startTimer(1, () => {
              send(answer(member, command));
            });
          else push(member, command, () => sockets.has(socket), send);
        }
      },
      drained: () => undefined,
      closed: () => {
        sockets.delete(socket);
      },
    });
  };

  const listening: Listening[] = [];
  for (const member of members)
    listening.push(await world.at(member.split(':')[0] ?? member).listener.listen(member, accept(member)));

  return {
    members,
    inserted,
    stepDown(next, electionTakes) {
      primary = undefined;
      election?.cancel();
      election = clock.startTimer(electionTakes, () => {
        term++;
        primary = next;
        changed();
      });
      changed();
    },
    async close() {
      election?.cancel();
      for (const one of listening) await one.close();
      for (const socket of sockets) socket.destroy();
      sockets.clear();
      changed();
    },
  };
};

export const frameOf = (reply: Document, responseTo: number, more: boolean): Uint8Array => {
  const writer = bson.writer();
  writer.begin(0);
  writer.fields(reply);
  writer.endBody();
  const body = writer.take();
  const frame = Buffer.alloc(21 + body.length);
  [frame.length, 1, responseTo, 2013, more ? 2 : 0].forEach((value, index) => frame.writeInt32LE(value, 4 * index));
  frame.set(body, 21);
  return frame;
};
