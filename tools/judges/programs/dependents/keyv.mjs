// A key-value store of Keyv in MongoDB.
import { createRequire } from 'node:module';
import KeyvMongo from '@keyv/mongo';
import Keyv from 'keyv';

const { uri, step, done } = createRequire(import.meta.url)('./report.cjs');

for (const useGridFS of [false, true]) {
  const store = new KeyvMongo(uri, { collection: `keyv${useGridFS}`, db: 'keyv', useGridFS });
  const keyv = new Keyv({ store, namespace: 'users' });
  const errors = [];
  keyv.on('error', error => errors.push(error.message));
  await step(useGridFS ? 'in GridFS' : 'in a collection', async () => {
    await keyv.clear();
    const results = [await keyv.set('foo', 'bar'), await keyv.set('gone', 1, 5), await keyv.get('foo')];
    await new Promise(resolve => setTimeout(resolve, 20));
    results.push(
      await keyv.get('gone'),
      await keyv.get(['foo', 'none']),
      await keyv.has('foo'),
      await keyv.delete('foo'),
      await keyv.delete('foo'),
      await keyv.get('foo'),
    );
    await keyv.set('a', { deep: [1] });
    const entries = [];
    if (!useGridFS) for await (const [key, value] of keyv.iterator('users')) entries.push([key, value]);
    await keyv.clear();
    await keyv.disconnect();
    return [results, entries, errors];
  });
}
done();
