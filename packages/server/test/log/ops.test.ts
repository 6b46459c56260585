import { describe, expect, test } from 'vitest';
import { Doc, TimestampValue } from '@tessera/mql/engine';
import { emptyDatabase } from '@tessera/store';
import { Draft } from '../../src/engine/database.js';
import type { Engine } from '../../src/engine/engine.js';
import type { Commit } from '../../src/engine/history.js';
import { insertInto, removeRow, replaceRow, writable } from '../../src/engine/writer.js';
import type { Op } from '../../src/log/op.js';
import { testEngine } from '../client.js';

const engineWith = (commits: Commit[] | undefined): Engine => {
  const engine = testEngine();
  if (commits !== undefined) {
    engine.history = {
      clusterTime: new TimestampValue(1, 1),
      record: commit => {
        commits.push(commit);
        return commit.value;
      },
      recorded: () => undefined,
    };
  }
  return engine;
};

const one = Doc.of([['_id', 1]]);
const two = Doc.of([
  ['_id', 1],
  ['a', 2],
]);

const kinds = (ops: readonly Op[]): readonly string[] => ops.map(({ kind }) => kind);

describe('the log of a commit', () => {
  test('lists its operations in order: the created collection, then documents before and after each change', () => {
    const commits: Commit[] = [];
    const engine = engineWith(commits);
    engine.change('test', draft => {
      const made = insertInto(draft, writable(engine, draft, 'db.c'), one, { unchecked: false });
      const [record] = [...made.records][0]!;
      const row = { record, doc: one, entry: undefined };
      const changed = replaceRow(draft, made, { row, after: two, change: { by: 'replacement' } }, { unchecked: false });
      removeRow(draft, changed, { record, doc: two });
    });
    const [{ ops }] = commits as [Commit];
    expect(kinds(ops)).toEqual(['create', 'insert', 'update', 'delete']);
    const [create, , update, removed] = ops as [
      Op & { kind: 'create' },
      Op,
      Op & { kind: 'update' },
      Op & { kind: 'delete' },
    ];
    expect(create.made.uuid).toBe(update.uuid);
    expect([update.ns, update.id, update.change]).toEqual(['db.c', 1, { by: 'replacement' }]);
    expect([update.before, update.after, removed.before].map(doc => doc.entries())).toEqual([
      one.entries(),
      two.entries(),
      two.entries(),
    ]);
  });

  test('omits undone changes, failed commands and commands that change nothing', () => {
    const commits: Commit[] = [];
    const engine = engineWith(commits);
    engine.change('test', draft => {
      const undo = draft.checkpoint();
      writable(engine, draft, 'db.b');
      undo();
      writable(engine, draft, 'db.c');
    });
    expect(() => {
      engine.change('test', draft => {
        writable(engine, draft, 'db.d');
        throw new Error('no');
      });
    }).toThrow('no');
    engine.change('test', () => undefined);
    expect(commits.map(({ ops }) => ops.map(op => 'ns' in op && op.ns))).toEqual([['db.c']]);
  });

  test('does not exist on a standalone', () => {
    const draft = new Draft(emptyDatabase, { for: 'test' }, false);
    writable(engineWith(undefined), draft, 'db.c');
    expect([draft.logged, draft.ops]).toEqual([false, []]);
  });
});
