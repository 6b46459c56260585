// Starts a standalone and a replica set of three members, and reports the milliseconds until all have replied.
import { startCluster, startServer } from 'tessera-server';
import { frameOf } from './frames.js';
import { openLoad } from './load.js';
import type { Starts } from './subject.js';

const greet = async (address: string): Promise<Readonly<Record<string, unknown>>> => {
  const load = await openLoad(Number(address.slice(address.lastIndexOf(':') + 1)), 1);
  const answer = await load.ask(frameOf({ hello: 1, $db: 'admin' }));
  load.close();
  return answer;
};

const timeStandalone = async (): Promise<number> => {
  const began = performance.now();
  await using server = await startServer();
  await greet(server.address);
  return performance.now() - began;
};

/** @throws Error if the set does not have one primary and two secondaries */
const timeThreeMembers = async (): Promise<number> => {
  const began = performance.now();
  await using cluster = await startCluster({ members: 3 });
  const answers = await Promise.all(cluster.addresses.map(greet));
  const milliseconds = performance.now() - began;
  const [primaries, secondaries] = ['isWritablePrimary', 'secondary'].map(
    state => answers.filter(answer => answer[state] === true).length,
  );
  if (primaries !== 1 || secondaries !== 2)
    throw new Error(`Expected 1 primary and 2 secondaries, got ${primaries} and ${secondaries}.`);
  return milliseconds;
};

// Each process starts one kind, because the second start would find compiled code.
const kind = process.argv[2] as keyof Starts;
process.send?.(await (kind === 'standalone' ? timeStandalone() : timeThreeMembers()));
process.disconnect();
