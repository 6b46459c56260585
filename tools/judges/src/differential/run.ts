import { shrink } from '../shrink.js';
import { batchOf, caseOf } from './batch.js';
import { agree, agreementOf, isEffective } from './compare.js';
import type { Engine } from './engine.js';
import { DamagedDatabase, UnresponsiveEngine } from './engine.js';
import type { Case, Operation, Outcome } from './operation.js';
import { isWrite } from './operation.js';
import type { Pair, Profile } from './rule.js';
import { smallerCases } from './smaller.js';
import type { Tally, Undecided } from './tally.js';
import { createTally, note } from './tally.js';

export interface RunOptions {
  readonly seed: number;
  readonly operations: number;
  /** The number of the first batch. */
  readonly firstBatch: number;
  /** Stops after this number of differences that no rule explains. */
  readonly undecidedLimit: number;
  /** The maximum number of smaller cases to try for each difference. */
  readonly shrinkAttempts: number;
  /** The number of batches that run at the same time, each in its own database. */
  readonly lanes: number;
  /** Receives each unexplained difference when it is found. */
  readonly onUndecided: (found: Undecided) => void;
}

/** Returns the beginning of an error message without its context, which identifies the error. */
const gist = (message: string): string => message.replace(/^.*caused by :: /s, '').slice(0, 12);

/** Returns whether two outcomes have the same kind and, for errors, the same error. */
const alike = (a: Outcome, b: Outcome): boolean =>
  a.kind === 'refused'
    ? b.kind === 'refused' && a.code === b.code && gist(a.message) === gist(b.message)
    : b.kind === 'done';

/** The collections that contain the documents for the next operation. Operations write only to `c`. */
type Loaded = 'nothing' | 'foreign' | 'both';

/** Returns whether the documents may have changed. A failed operation may have changed some of them. */
const touches = (operation: Operation, outcome: Outcome): boolean =>
  isWrite(operation) && (outcome.kind === 'refused' || isEffective(outcome));

/** The state of a run: the remaining batches and the results so far. */
export interface Run {
  readonly tally: Tally;
  /**
   * Runs the batches on both engines, and explains each difference by a rule.
   * @returns why the other engine must be restarted before the rest can run; empty when all is done
   * @throws UnresponsiveEngine if our server does not reply any more
   */
  go(ours: Engine, theirs: Engine): Promise<readonly UnresponsiveEngine[]>;
}

export const createRun = (profile: Profile, options: RunOptions): Run => {
  const tally = createTally(profile.rules);
  const progress: Progress = { nextBatch: options.firstBatch, tally };
  return { tally, go: (ours, theirs) => goOn(progress, ours, theirs, profile, options) };
};

interface Progress {
  nextBatch: number;
  readonly tally: Tally;
}

const goOn = async (
  progress: Progress,
  ours: Engine,
  theirs: Engine,
  profile: Profile,
  options: RunOptions,
): Promise<readonly UnresponsiveEngine[]> => {
  const { tally } = progress;
  const unanswered: UnresponsiveEngine[] = [];
  let started = tally.done;

  const meet = async (database: string, start: Case, loaded: Loaded): Promise<Pair> => {
    const one = async (engine: Engine): Promise<Outcome> => {
      if (loaded !== 'both')
        await engine.load(database, start.documents, loaded === 'foreign' ? undefined : start.foreign);
      return engine.run(database, start.operation);
    };
    const [a, b] = await Promise.all([one(ours), one(theirs)]);
    return { ...start, ours: a, theirs: b };
  };

  const differs = ({ ours: a, theirs: b, operation }: Pair): boolean =>
    !agree(a, b, agreementOf(operation, profile.codes));
  const ruleFor = (pair: Pair) => profile.rules.find(({ holds }) => holds(pair));

  const report = async (database: string, pair: Pair, origin: string): Promise<void> => {
    const agreement = JSON.stringify(agreementOf(pair.operation, profile.codes));
    const possible = (candidate: Case): boolean =>
      JSON.stringify(agreementOf(candidate.operation, profile.codes)) === agreement &&
      !profile.omissions.some(({ holds }) => holds(candidate));
    const fails = async (candidate: Case): Promise<boolean> => {
      if (!possible(candidate)) return false;
      const met = await meet(database, candidate, 'nothing').catch((error: unknown) => {
        if (error instanceof UnresponsiveEngine) throw error;
        return undefined;
      });
      return (
        met !== undefined &&
        differs(met) &&
        alike(pair.ours, met.ours) &&
        alike(pair.theirs, met.theirs) &&
        ruleFor(met) === undefined
      );
    };
    let found: Undecided = { pair, origin };
    const again = await meet(database, pair, 'nothing');
    if (!differs(again) && agree(pair.ours, again.ours, agreementOf(pair.operation, true)))
      throw new DamagedDatabase(
        theirs.name,
        `replied differently in a new database: ${JSON.stringify(pair.operation)}`,
      );
    try {
      const smallest = await shrink<Case>(pair, smallerCases, fails, options.shrinkAttempts);
      found = { pair: await meet(database, smallest, 'nothing'), origin };
    } finally {
      tally.undecided.push(found);
      options.onUndecided(found);
    }
  };

  const drop = async (database: string): Promise<void> => {
    await Promise.all([ours.drop(database), theirs.drop(database)]);
  };

  const mayStart = (): boolean =>
    unanswered.length === 0 && started < options.operations && tally.undecided.length < options.undecidedLimit;

  const runBatch = async (number: number, database: string): Promise<void> => {
    const batch = batchOf(options.seed, number, profile);
    let loaded: Loaded = 'nothing';
    for (const operation of batch.operations) {
      if (!mayStart()) return;
      started++;
      const pair: Pair = await meet(database, caseOf(batch, operation), loaded).catch((error: unknown): never => {
        started--;
        throw error;
      });
      loaded = touches(operation, pair.ours) || touches(operation, pair.theirs) ? 'foreign' : 'both';
      note(tally, pair, pair.ours);
      if (!differs(pair)) {
        tally.equal++;
        continue;
      }
      const rule = ruleFor(pair);
      if (rule !== undefined) tally.explained.set(rule, tally.explained.get(rule)! + 1);
      else {
        loaded = 'nothing';
        const fresh = `${database}again`;
        await report(fresh, pair, `--seed ${options.seed} --batch ${number}`);
        await drop(fresh);
      }
    }
  };

  const lane = async (): Promise<void> => {
    while (mayStart()) {
      const number = progress.nextBatch++;
      // Use a database for each batch, because an engine may keep deleted documents and still read them.
      const database = `differential${number}`;
      try {
        await runBatch(number, database);
        await drop(database);
      } catch (error) {
        if (!(error instanceof UnresponsiveEngine || error instanceof DamagedDatabase) || error.engine === ours.name)
          throw error;
        if (error instanceof UnresponsiveEngine) unanswered.push(error);
        else tally.damaged.push(error.message);
      }
    }
  };

  await Promise.all(Array.from({ length: options.lanes }, lane));
  return unanswered;
};
