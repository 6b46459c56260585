import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Doc } from '@tessera/mql/engine';
import { Batches, iterate, limited, listed, mapped } from '../src/index.js';

const docOf = (n: number): Doc => Doc.of([['n', n]]);

test('batches apply skip and limit, and have at most the requested number of documents', () => {
  const count = fc.nat(12);
  fc.assert(
    fc.property(count, count, count, fc.integer({ min: 1, max: 5 }), fc.boolean(), (size, skip, limit, batch, lazy) => {
      const items = Array.from({ length: size }, (_, i) => i);
      const source = mapped(limited(lazy ? iterate(items) : listed(items), { skip, limit, foresees: !lazy }), docOf);
      const batches = new Batches(source);
      const found: unknown[] = [];
      for (let round = 0; round < 20; round++) {
        const { docs } = batches.takeNow(batch);
        expect(docs.length).toBe(Math.min(batch, docs.length));
        found.push(...docs.map(doc => doc.get('n')));
      }
      expect(found).toEqual(items.slice(skip, limit === 0 ? undefined : skip + limit));
      expect(batches.exhausted).toBe(true);
    }),
  );
});
