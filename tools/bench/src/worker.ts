/** A worker process, which executes one task at a time. */
import { messageOf } from '@tessera-tools/house';
import { count } from './counters/count.js';
import { watchListeners } from './counters/listeners.js';
import { watchWrites } from './counters/writes.js';
import type { Places } from './places.js';
import { nullUri, programs } from './side.js';
import type { Client, ClientOptions, NewClient, Program } from './side.js';
import type { Answer, Answers, Task } from './tasks.js';
import { createBulkWorks } from './work/bulk-work.js';
import { createCodecWorks } from './work/codec-work.js';
import { createDriverWorks } from './work/driver-work.js';
import { createLoginWorks } from './work/login-work.js';
import { measure } from './work/measure.js';
import { digestOf, textOf } from './work/outcome.js';
import { createSocketWorks } from './work/socket-work.js';
import { createStreamWorks } from './work/stream-work.js';
import type { Work } from './work/work.js';

const [program, purpose] = process.argv.slice(2) as [Program, 'measure' | 'count'];
const works = new Map<string, Work>();
let outcome: unknown;

const digest = (of: unknown): string => {
  outcome = of;
  return digestOf(of);
};

const connected = async (newClient: NewClient, port: number, options: ClientOptions): Promise<Client> => {
  const client = newClient(nullUri(port), options);
  await client.connect();
  return client;
};

const driverWorks = async (places: Places): Promise<ReadonlyMap<string, Work>> => {
  if (program === 'socket') return createSocketWorks(places.port);
  const newClient = await programs[program].clients();
  const client = await connected(newClient, places.port, {});
  const tls = await connected(newClient, places.tlsPort, { tls: true, ca: places.authority });
  const zlib = await connected(newClient, places.zlibPort, { compressors: 'zlib' });
  const database = 'bench';
  return new Map([
    ...createDriverWorks({ plain: client.db(database), tls: tls.db(database), zlib: zlib.db(database) }),
    ...createBulkWorks(client),
    ...createStreamWorks(client, places.fileBytes),
    ...(places.usersPort === undefined ? [] : createLoginWorks(newClient, places.usersPort)),
  ]);
};

const codecWorks = async (): Promise<ReadonlyMap<string, Work>> => {
  if (program === 'socket') throw new Error('A socket has no codec.');
  return createCodecWorks(await programs[program].codecs());
};

const open = async (places: Places | undefined): Promise<null> => {
  const opened = places === undefined ? await codecWorks() : await driverWorks(places);
  for (const [name, work] of opened) works.set(name, work);
  return null;
};

const perform = async (task: Task): Promise<Answers[Task['do']]> => {
  switch (task.do) {
    case 'open':
      return open(task.places);
    case 'verify':
      return { digest: digest(await works.get(task.work)!.verify()) };
    case 'measure': {
      outcome = undefined; // release the old value, which would slow down garbage collection
      const work = works.get(task.work)!;
      const { slice, last } = await measure(work, task.inFlight, task.milliseconds);
      return { slice, digest: digest(work.outcome(last)) };
    }
    case 'count':
      return count(works.get(task.work)!, task.counting);
    case 'explain':
      return textOf(outcome);
  }
};

if (purpose === 'count') {
  watchListeners();
  watchWrites();
}

process.on('message', (task: Task) => {
  void perform(task).then(
    value => process.send!({ is: 'done', value } satisfies Answer),
    (error: unknown) => process.send!({ is: 'failed', reason: messageOf(error) } satisfies Answer),
  );
});
// Exiting closes the connections.
// oxlint-disable-next-line nodejs/no-process-exit
process.on('disconnect', () => process.exit());
