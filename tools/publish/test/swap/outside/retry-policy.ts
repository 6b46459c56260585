import type { CreateConnect } from '@tessera/contracts';
import { MongoNetworkError } from '@tessera/mongodb';
import { retryPolicySuite } from '@tessera/sim';
import { createFaults } from './faulty-connect.js';
import { prove, withClient, work } from './prove.js';
import { createSmallConnect } from './small-connect.js';
import { createStubbornPolicy } from './stubborn-policy.js';

const policy = () => createStubbornPolicy({ budget: 5, gain: 0.25 });
const faults = createFaults();
const connect: CreateConnect = (deps, options) => faults.wrap(createSmallConnect(deps, options));

await prove('retryPolicySuite', retryPolicySuite(policy));
await withClient({ parts: { retryPolicy: policy, connect }, minHeartbeatFrequencyMS: 50 }, async client => {
  await work(client);
  const collection = client.db('shop').collection<{ _id: string }>('retried');
  await collection.insertOne({ _id: 'found' });
  const find = async (cuts: number): Promise<string> => {
    faults.cut('find', cuts);
    try {
      return JSON.stringify(await collection.findOne());
    } catch (error) {
      if (!(error instanceof MongoNetworkError)) throw error;
      return `${error.name}: ${error.message}, ${error.attempts.length} attempts`;
    } finally {
      faults.cut('find', 0);
    }
  };
  console.log(`two failures: ${await find(2)}`);
  console.log(`three failures: ${await find(3)}`);
  console.log(`with a nearly exhausted budget: ${await find(2)}`);
  for (let times = 0; times < 8; times += 1) await find(0);
  console.log(`after eight successes: ${await find(2)}`);
  faults.cut('insert', 1);
  const lost = collection.insertOne({ _id: 'lost' }).then(String, (error: unknown) => String(error));
  console.log(`a write that may have been executed: ${await lost}`);
});
