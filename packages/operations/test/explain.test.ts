import { describe, expect, test } from 'vitest';
import type { Document } from '@tessera/contracts';
import { createWrite, explain, explainAsCursor, find } from '@tessera/operations';
import type { CursorReply } from '@tessera/operations';
import { resultOf, commandOf, targetOf } from './scripted.js';

const target = targetOf({
  readConcern: { level: 'majority' },
  writeConcern: { w: 2 },
  selection: { mode: 'secondary' },
});
const finding = find(target, { a: 1 }, { limit: 2, maxTimeMS: 5 }, () => undefined);

describe('MongoDB manual, "explain"', () => {
  test('writes the command inside explain, without its concerns and database', () => {
    const operation = explain(target, finding, { verbosity: 'queryPlanner', maxTimeMS: 2000 });
    expect(commandOf(operation)).toEqual({
      explain: { find: 'films', filter: { a: 1 }, limit: 2, maxTimeMS: 5 },
      verbosity: 'queryPlanner',
      maxTimeMS: 2000,
      $db: 'db',
    });
    expect([operation.kind, operation.retryable, operation.selection]).toEqual(['read', false, { mode: 'secondary' }]);
  });

  test('writes the statements of a write as an array', () => {
    const write = createWrite({ newId: undefined }, target, 'delete')([{ q: { a: 1 }, limit: 1 }], 0, { comment: 'c' });
    expect(commandOf(explain(target, write, { verbosity: 'executionStats' }))).toEqual({
      explain: { delete: 'films', ordered: true, comment: 'c', deletes: [{ q: { a: 1 }, limit: 1 }] },
      verbosity: 'executionStats',
      $db: 'db',
    });
  });

  test('returns the explanation as a document, or as the only document of a cursor', () => {
    const answer = { queryPlanner: {}, ok: 1 };
    expect(resultOf(explain(target, finding, { verbosity: 'queryPlanner' }), answer)).toEqual(answer);
    const take = ({ id, batch }: CursorReply): unknown => {
      const kept = batch.keep();
      return [id, kept.length, kept.next(), kept.length, kept.next()];
    };
    const all = resultOf(explainAsCursor(target, finding, { verbosity: 'queryPlanner' }, take), answer) as Document;
    expect(all).toEqual([0n, 1, answer, 0, undefined]);
  });
});
