/** The two drivers, each with its own servers, whose commands are recorded. */
import { createNode } from '@tessera/node';
import { createServer } from '@tessera/server';
import * as ours from '@tessera/mongodb';
import { deserialize } from 'bson';
import type { Document } from 'bson';
import * as official from 'mongodb';
import { createCutter } from '../fuzz/frames.js';
import { opMsg, unwrap } from '../fuzz/message.js';
import type { Program } from './program.js';

export type Driver = typeof official;
export type SideName = 'ours' | 'theirs';
const drivers: Readonly<Record<SideName, Driver>> = { ours: ours as unknown as Driver, theirs: official };

/** A server with the clients that programs share. */
interface Place {
  readonly uri: string;
  readonly client: official.MongoClient;
  /** A client of the tool, which prepares and removes databases. */
  readonly keeper: official.MongoClient;
}

/** One driver and its servers. */
export interface Side extends AsyncDisposable {
  readonly driver: Driver;
  readonly places: Readonly<Record<Program['topology'], Place>>;
  readonly watchers: Watchers;
}

interface Watchers {
  /** Receives each command that a server receives, except those of the tool and of monitors. */
  command?: ((command: Document) => void) | undefined;
  /** Receives the command events of the shared clients. */
  event?: ((name: string, event: object) => void) | undefined;
}

const names = ['commandStarted', 'commandSucceeded', 'commandFailed'] as const;
export const eventNames: typeof names = names;

/** Decodes the command in an OP_MSG frame. Its document sequences become arrays. */
const commandOf = (frame: Buffer): Document | undefined => {
  const message = unwrap(frame);
  if (message.readInt32LE(12) !== opMsg) return undefined;
  const exact = { promoteValues: false, bsonRegExp: true, allowObjectSmallerThanBufferSize: true } as const;
  const read = (at: number): Document => deserialize(message.subarray(at, at + message.readInt32LE(at)), exact);
  let command: Document = {};
  const sequences: Document = {};
  const end = message.length - (message.readInt32LE(16) & 1 ? 4 : 0);
  for (let at = 20; at < end; at += 1 + message.readInt32LE(at + 1)) {
    if (message[at] === 0) {
      command = read(at + 1);
      continue;
    }
    const name = message.toString('utf8', at + 5, message.indexOf(0, at + 5));
    const documents: Document[] = [];
    for (let item = at + 6 + name.length; item < at + 1 + message.readInt32LE(at + 1);) {
      documents.push(read(item));
      item += message.readInt32LE(item);
    }
    sequences[name] = documents;
  }
  return { ...command, ...sequences };
};

const tool = 'facade tool';

/** Starts a server that reports each command it receives. */
const startTapped = async (replicaSet: string | undefined, report: (command: Document) => void) => {
  const node = createNode();
  const server = createServer(
    {
      ...node,
      listener: {
        listen: (at, accept) =>
          node.listener.listen(at, socket => {
            const cutter = createCutter();
            let isTool = false;
            const take = (chunk: Buffer): void => {
              for (const frame of cutter.add(chunk)) {
                if (frame.includes(tool)) isTool = true;
                const command = isTool ? undefined : commandOf(frame);
                if (command !== undefined && !('hello' in command)) report(command);
              }
            };
            const listen = socket.listen.bind(socket);
            const tapped: typeof listen = sink => {
              let room: Uint8Array;
              listen({
                room: () => (room = sink.room()),
                filled: length => {
                  take(Buffer.from(room.subarray(0, length)));
                  sink.filled(length);
                },
                drained: () => sink.drained(),
                closed: cause => sink.closed(cause),
              });
            };
            accept(Object.assign(socket, { listen: tapped }));
          }),
      },
    },
    { testCommands: true, ...(replicaSet !== undefined && { replicaSet }) },
  );
  const { address } = await server.listen('127.0.0.1:0');
  const uri = `mongodb://${address}/${replicaSet === undefined ? '' : `?replicaSet=${replicaSet}`}`;
  return { uri, server };
};

export const startSide = async (name: SideName): Promise<Side> => {
  const driver = drivers[name];
  const watchers: Watchers = {};
  const closing: (() => Promise<unknown>)[] = [];
  const start = async (replicaSet?: string): Promise<Place> => {
    const { uri, server } = await startTapped(replicaSet, command => watchers.command?.(command));
    const client = await driver.MongoClient.connect(uri, { monitorCommands: true });
    for (const event of names) client.on(event, (given: object) => watchers.event?.(event, given));
    const keeper = await drivers.ours.MongoClient.connect(uri, { appName: tool });
    closing.push(async () => {
      // npm `mongodb` rejects the first call if a cursor has a wrong session, and closes the rest in the second.
      await client.close().catch(() => client.close());
      await keeper.close();
      await server.close();
    });
    return { uri, client, keeper };
  };
  return {
    driver,
    places: { standalone: await start(), 'replica set': await start('rs0') },
    watchers,
    [Symbol.asyncDispose]: async () => {
      for (const close of closing) await close();
    },
  };
};
