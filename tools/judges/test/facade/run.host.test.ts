import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sides } from '../../src/facade/play.js';
import type { Program } from '../../src/facade/program.js';
import { textOf } from '../../src/facade/program.js';
import { rules } from '../../src/facade/rules.js';
import type { RunOptions, Tally } from '../../src/facade/run.js';
import { compareDrivers, differenceText } from '../../src/facade/run.js';
import type { Side } from '../../src/facade/sides.js';
import { startSide } from '../../src/facade/sides.js';
import { plant, plants } from './planted.js';

const sides: { ours?: Side; theirs?: Side } = {};
// Programs with wrong arguments leave promises without a handler.
const ignore = (): void => undefined;

beforeAll(async () => {
  process.on('unhandledRejection', ignore);
  sides.ours = await startSide('ours');
  sides.theirs = await startSide('theirs');
}, 60_000);

afterAll(async () => {
  await sides.ours?.[Symbol.asyncDispose]();
  await sides.theirs?.[Symbol.asyncDispose]();
  process.off('unhandledRejection', ignore);
}, 60_000);

const compare = (options: Partial<RunOptions>): Promise<Tally> =>
  compareDrivers(sides as Sides, { seed: 1, programs: 300, first: 0, rules, shrinkAttempts: 30, limit: 5, ...options });

test('300 programs have no difference without a rule', async () => {
  const { programs, equal, undecided } = await compare({});
  expect([...undecided.values()].map(({ difference }) => differenceText(difference))).toEqual([]);
  expect(programs).toBe(300);
  expect(equal).toBeGreaterThan(100);
}, 120_000);

test.each(plants)(
  'finds a planted difference: $title',
  async planted => {
    const remove = plant(planted);
    try {
      const selects = (program: Program): boolean => textOf(program).includes(`.${planted.method}(`);
      const { programs, undecided } = await compare({ programs: 1500, limit: 1, selects });
      const found = [...undecided.values()];
      expect(found).toHaveLength(1);
      expect(textOf(found[0]!.difference.program)).toContain(planted.method);
      expect(programs).toBeLessThanOrEqual(100);
    } finally {
      remove();
    }
  },
  120_000,
);
