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
  /** The reply's error. Undefined for a command that succeeded. */
  readonly error: string | undefined;
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
  const { child, hello, stop } = await forked(program, [], 'inherit', { execArgv: ['--max-old-space-size=3000'] });
  const client = await openClient(Number(String(hello).split(':').at(-1)));
  const run = async ({ name, command, db, before = [], more = [] }: Costly): Promise<Stretch> => {
    for (const each of before) await ask(client, each, db);
    child.send('start');
    for (const each of more) client.send(frameOfCommand(each, db ?? 'test'));
    const reply = await ask(client, command, db);
    for (let i = 0; i < more.length; i++) await client.next(60_000);
    const measured = once(child, 'message');
    child.send('stop');
    const [{ longest }] = (await measured) as [Measured];
    const failed = Number(String(reply['ok'])) !== 1;
    return { name, longest, error: failed ? String(reply['errmsg']) : undefined };
  };
  try {
    await prepare(client, size);
    for (const each of costly(size)) if (each.name.includes(text)) yield await run(each);
  } finally {
    client.close();
    await stop();
  }
};
