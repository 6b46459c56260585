import type { Document } from '@tessera/contracts';
import { createSmallClient } from './small-client.js';

const client = createSmallClient(process.argv[2] ?? '127.0.0.1:27017');
try {
  const { version } = await client.command('admin', { buildInfo: 1 });
  await client.command('example', {
    insert: 'notes',
    documents: [{ _id: 1, text: 'five packages suffice' }],
    ordered: true,
  });
  const { cursor } = await client.command('example', { find: 'notes', filter: { _id: 1 } });
  console.log(`MongoDB ${String(version)}:`, (cursor as Document)['firstBatch']);
  await client.command('example', { dropDatabase: 1 });
} finally {
  client.close();
}
