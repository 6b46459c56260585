import { startServer } from 'tessera-server';
import { expect, test } from 'vitest';
import type { Engine } from '../../src/differential/engine.js';
import { connectEngine, DamagedDatabase, UnresponsiveEngine } from '../../src/differential/engine.js';
import type { Profile, Rule } from '../../src/differential/rule.js';
import type { RunOptions } from '../../src/differential/run.js';
import { createRun } from '../../src/differential/run.js';
import type { Tally } from '../../src/differential/tally.js';
import { operatorsIn } from '../../src/differential/tree.js';

const options: RunOptions = {
  seed: 1,
  operations: 150,
  firstBatch: 0,
  undecidedLimit: 1,
  shrinkAttempts: 200,
  lanes: 2,
  onUndecided: () => undefined,
};

/** Runs the embedded server against another instance of itself, which the function changes. */
const runAgainst = async (change: (engine: Engine) => Engine, rules: readonly Rule[] = []): Promise<Tally> => {
  const profile: Profile = {
    name: 'the same',
    lacks: new Set(['$rand']),
    omissions: [],
    cannotHold: () => false,
    codes: true,
    rules,
  };
  await using one = await startServer();
  await using other = await startServer();
  const [ours, theirs] = [await connectEngine('ours', one.uri), await connectEngine('theirs', other.uri)];
  try {
    const run = createRun(profile, options);
    for (;;) {
      const unanswered = await run.go(ours, change(theirs));
      if (unanswered.length === 0) return run.tally;
      run.tally.halts.push({ unanswered: unanswered.map(({ message }) => message), lastWords: undefined });
    }
  } finally {
    await ours.close();
    await theirs.close();
  }
};

/** Returns no documents from a find whose filter contains $gt. */
const withoutGreater = (engine: Engine): Engine => ({
  ...engine,
  run: async (database, operation) => {
    const outcome = await engine.run(database, operation);
    const wrong = 'find' in operation.command && operatorsIn(operation.command).has('$gt') && outcome.kind === 'done';
    return wrong ? { kind: 'done', result: [] } : outcome;
  },
});

test('a server agrees with itself', async () => {
  const { done, equal, undecided } = await runAgainst(engine => engine);
  expect({ done, equal, undecided }).toEqual({ done: 150, equal: 150, undecided: [] });
});

test('a planted bug is found and shrunk to a minimal case', async () => {
  const { undecided } = await runAgainst(withoutGreater);
  expect(undecided).toHaveLength(1);
  const { pair, origin } = undecided[0]!;
  expect(origin).toMatch(/^--seed 1 --batch \d+$/);
  expect(JSON.stringify(pair.operation.command)).toContain('$gt');
  expect(pair.documents).toHaveLength(1);
  expect(pair.ours.kind === 'done' && pair.theirs.kind === 'done').toBe(true);
});

test('the engine is restarted when it does not reply, and the remaining operations run', async () => {
  let lives = 0;
  const { done, equal, halts } = await runAgainst(engine => {
    lives++;
    let left = lives === 1 ? 40 : Infinity;
    return {
      ...engine,
      run: async (database, operation) => {
        if (left-- <= 0) throw new UnresponsiveEngine('theirs', operation.command, 'did not reply');
        return engine.run(database, operation);
      },
    };
  });
  expect({ done, equal, lives, halts: halts.length }).toEqual({ done: 150, equal: 150, lives: 2, halts: 1 });
  expect(halts[0]!.unanswered.length).toBeGreaterThan(0);
  expect(halts[0]!.unanswered[0]).toMatch(/^theirs did not reply: \{/);
});

test('a damaged database ends its batch without reporting a difference', async () => {
  const damaged = new Set<string>();
  let operations = 0;
  const { done, equal, undecided, ...rest } = await runAgainst(engine => ({
    ...engine,
    load: async (database, documents, foreign) => {
      if (database === 'differential1') throw new DamagedDatabase('theirs', 'rejected the documents');
      return engine.load(database, documents, foreign);
    },
    run: async (database, operation) => {
      if (++operations === 20) damaged.add(database);
      const outcome = await engine.run(database, operation);
      return damaged.has(database) ? { kind: 'refused', code: 1, message: 'no position in the index' } : outcome;
    },
  }));
  expect({ done, unequal: done - equal, undecided }).toEqual({ done: 150, unequal: 1, undecided: [] });
  expect(rest.damaged.toSorted()).toEqual([
    'theirs rejected the documents',
    expect.stringMatching(/^theirs replied differently in a new database: \{/),
  ]);
});

test('a difference that a rule explains is counted for the rule', async () => {
  const rule: Rule = {
    name: 'no $gt',
    reason: 'it does not support $gt',
    holds: ({ operation }) => operatorsIn(operation.command).has('$gt'),
  };
  const { undecided, explained, done, equal } = await runAgainst(withoutGreater, [rule]);
  expect(undecided).toEqual([]);
  expect(explained.get(rule)).toBe(done - equal);
  expect(done - equal).toBeGreaterThan(0);
});
