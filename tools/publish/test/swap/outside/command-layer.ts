import { withClient, work } from './prove.js';
import { createSignature } from './signature.js';

const signature = createSignature('billing');
await withClient({ parts: { outerLayers: [signature.layer] } }, async client => {
  const comments = new Set<unknown>();
  client.on('commandStarted', ({ command }) => comments.add(command['comment']));
  await work(client);
  console.log(`comments: ${[...comments].join()}`);
});
console.log(`replies: ${signature.results.join(', ')}`);
