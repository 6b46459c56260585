import { createDoorman } from './doorman.js';
import { withClient, work } from './prove.js';

const doorman = createDoorman(2);
await withClient({ parts: { outerLayers: [doorman.layer] } }, async client => {
  await work(client);
  const collection = client.db('shop').collection<{ _id: number }>('crowd');
  const crowd = Array.from({ length: 20 }, (_, _id) => collection.insertOne({ _id }));
  console.log(`concurrent inserts: ${(await Promise.all(crowd)).length}, at most ${doorman.mostAtOnce} at a time`);
  await client
    .db('shop')
    .command({ nonsense: 1 })
    .catch((error: unknown) => console.log(String(error)));
});
console.log(`operations: ${[...doorman.passed].map(([name, times]) => `${name} ${times}`).join(', ')}`);
