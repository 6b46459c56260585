/** Runs costly commands, and measures for how long the server computes without a pause. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Document } from 'bson';
import { forked } from '../forked.js';
import { documentOf } from '../fuzz/judge.js';
import { frameOfCommand } from '../fuzz/message.js';
import type { WireClient } from '../fuzz/wire-client.js';
import { openClient } from '../fuzz/wire-client.js';
import type { Measured } from './served.js';
import type { Costly } from './table.js';
import { costly } from './table.js';

const program = fileURLToPath(new URL('served.js', import.meta.url));

/** The longest time for which the server computed without a pause while a command ran. */
export interface Stretch {
  readonly name: string;
  readonly longest: number;
  /** The time for which the server computed after the command had to end. */
  readonly afterLimit: number;
  readonly afterKill: number;
  /** The reply's error. Undefined for a command that succeeded. */
  readonly error: string | undefined;
}

/** The time after which a command has to end, in milliseconds. */
const limit = 20;

/** The comment by which a running command is found. */
const comment = 'costly';

interface Ran extends Measured {
  readonly reply: Document;
}

const ask = async (client: WireClient, command: Document, db = 'test'): Promise<Document> => {
  client.send(frameOfCommand(command, db));
  const reply = await client.next(600_000);
  if (reply === undefined) throw new Error(`The server did not reply to ${Object.keys(command)[0] ?? ''}.`);
  return documentOf(reply);
};

const prepare = async (client: WireClient, size: number): Promise<void> => {
  for (let from = 0; from < size; from += 20_000) {
    const documents = Array.from({ length: Math.min(20_000, size - from) }, (_, i) => {
      const n = from + i;
      return { _id: n, n, m: n % 1000, g: n % 100, next: n + 1, s: `text ${(n * 7919) % size}` };
    });
    await ask(client, { insert: 'many', documents });
  }
  const few = Array.from({ length: 100 }, (_, _id) => ({
    _id,
    g: _id,
    p: { type: 'Point', coordinates: [_id / 10, 1] },
  }));
  await ask(client, { insert: 'few', documents: few });
};

/** Runs the commands whose name contains the text, over a collection with this number of documents. */
export const stretches = async function* (size: number, text: string): AsyncGenerator<Stretch> {
  const { child, hello, stop: end } = await forked(program, [], 'inherit', { execArgv: ['--max-old-space-size=3000'] });
  const client = await openClient(Number(String(hello).split(':').at(-1)));
  const other = await openClient(Number(String(hello).split(':').at(-1)));
  const stop = async (): Promise<Measured> => {
    const measured = once(child, 'message');
    child.send('stop');
    return ((await measured) as [Measured])[0];
  };
  /** Ends the running command with `killOp`. */
  const kill = async (): Promise<void> => {
    const { inprog = [] } = await ask(other, { currentOp: 1, 'command.comment': comment }, 'admin');
    for (const { opid: op } of inprog as readonly { readonly opid: unknown }[])
      await ask(other, { killOp: 1, op }, 'admin');
  };
  const run = async ({ name, command, db, before = [], more = [] }: Costly): Promise<Stretch> => {
    for (const each of before) await ask(client, each, db);
    /** Runs the command. Returns its code if it was ended early. */
    const play = async (fields: Document, meanwhile?: () => Promise<void>, sent = command): Promise<Ran> => {
      child.send('start');
      for (const each of more) client.send(frameOfCommand(each, db ?? 'test'));
      const answer = ask(client, { ...sent, ...fields }, db);
      await meanwhile?.();
      const reply = await answer;
      for (let i = 0; i < more.length; i++) await client.next(60_000);
      return { ...(await stop()), reply };
    };
    const { total: receiving } = await play({}, undefined, { ping: 1, comment: command });
    const limited = await play({ maxTimeMS: limit });
    const isLimited = Number(String(limited.reply['code'])) === 50;
    const killed = isLimited
      ? await play({ comment }, async () => {
          await new Promise(resolve => setTimeout(resolve, limit));
          await kill();
          child.send('start');
        })
      : undefined;
    const isKilled = Number(String(killed?.reply['code'])) === 11601;
    const last = isKilled ? await play({}) : (killed ?? limited);
    return {
      name,
      longest: Math.max(limited.longest, killed?.longest ?? 0, last.longest),
      afterLimit: Math.max(0, limited.total - receiving - limit),
      afterKill: killed?.total ?? 0,
      error: Number(String(last.reply['ok'])) === 1 ? undefined : String(last.reply['errmsg']),
    };
  };
  try {
    await prepare(client, size);
    for (const each of costly(size)) if (each.name.includes(text)) yield await run(each);
  } finally {
    client.close();
    other.close();
    await end();
  }
};
