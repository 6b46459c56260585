/** Runs cases on a bench and returns the result of each. */
import { messageOf } from '@tessera-tools/house';
import type { MongoClient } from '@tessera/client';
import type { Case } from './cases.js';
import { askTraits, openInternal } from './deployment.js';
import type { Bench, Deployment, Traits } from './deployment.js';
import { featuresOf, hasFailPoint } from './features.js';
import type { Feature } from './features.js';
import { unmet } from './requirements.js';
import type { Want } from './requirements.js';
import { runTest } from './run-test.js';
import type { Seen } from './run-test.js';

/** The reason why a case did not run on a bench. */
export type Skip =
  | { readonly is: 'own'; readonly reason: string }
  | { readonly is: 'feature'; readonly feature: Feature }
  | { readonly is: 'requirement'; readonly wants: readonly Want[] }
  /** The case ran on another bench, which suffices with `--short`. */
  | { readonly is: 'done' };

/** The result of a case on one bench. */
export type Execution =
  /** `first`: the reason of a failure in the first run. */
  | { readonly outcome: 'passed'; readonly bench: string; readonly first?: string | undefined }
  | { readonly outcome: 'failed'; readonly bench: string; readonly reason: string }
  | { readonly outcome: 'skipped'; readonly bench: string; readonly skip: Skip };

const skipOf = ({ unified, test }: Case, bench: Bench, traits: Traits): Skip | undefined => {
  if (test.skipReason !== undefined) return { is: 'own', reason: test.skipReason };
  if (hasFailPoint(test) && bench.lacks.has('fail points')) return { is: 'feature', feature: 'fail points' };
  const feature = featuresOf(unified, test).find(one => bench.lacks.has(one));
  if (feature !== undefined) return { is: 'feature', feature };
  const wants = [unified, test].map(({ runOnRequirements }) => unmet(runOnRequirements, traits));
  const [first] = wants.filter(all => all.length > 0);
  return first === undefined ? undefined : { is: 'requirement', wants: first };
};

export interface RunOptions {
  readonly seen?: Seen | undefined;
  /** Called after each case. */
  readonly watch?: ((one: Case, execution: Execution) => void) | undefined;
  /** Returns whether the case already ran on another bench. */
  readonly isDone?: (one: Case) => boolean;
}

/** Runs the cases of one bench and records their results. */
class Round {
  readonly executions = new Map<Case, Execution>();
  readonly #bench: Bench;
  readonly #traits: Traits;
  readonly #options: RunOptions;
  /** The cases that are run a second time, with the reason of the first failure. */
  readonly #again = new Map<Case, string>();

  constructor(bench: Bench, traits: Traits, options: RunOptions) {
    this.#bench = bench;
    this.#traits = traits;
    this.#options = options;
  }

  /** Records the result of a case. @param reason the reason of a failure; undefined if it passed */
  end(one: Case, reason: string | undefined): void {
    const { name: bench } = this.#bench;
    // A valid-fail case passes if it fails.
    const passes = (reason === undefined) !== one.mustFail;
    const why = reason ?? 'a valid-fail case did not fail';
    this.#note(
      one,
      passes ? { outcome: 'passed', bench, first: this.#again.get(one) } : { outcome: 'failed', bench, reason: why },
    );
  }

  /** Returns whether the case should run. If not, records its result. */
  begin(one: Case): boolean {
    const skip: Skip | undefined = this.#options.isDone?.(one) === true ? { is: 'done' } : this.#skip(one);
    if (skip !== undefined) this.#note(one, { outcome: 'skipped', bench: this.#bench.name, skip });
    else if (one.unreadable !== undefined) this.end(one, one.unreadable);
    else return true;
    return false;
  }

  /** Runs cases of one file on one deployment until one fails. Returns the remaining cases. */
  async runSome(cases: readonly Case[]): Promise<readonly Case[]> {
    const left = [...cases];
    try {
      await this.#bench.lend(async deployment => {
        const internal = openInternal(deployment);
        try {
          while (left.length > 0) await this.#runNext(left, deployment, internal);
        } finally {
          await internal.close();
        }
      });
    } catch (error) {
      const [failed] = left;
      // All cases are complete, so the error is not theirs.
      if (failed === undefined) throw error;
      if (!this.#isAgain(failed, messageOf(error))) {
        left.shift();
        this.end(failed, messageOf(error));
      }
    }
    return left;
  }

  async #runNext(left: Case[], deployment: Deployment, internal: MongoClient): Promise<void> {
    const [one] = left as [Case, ...Case[]];
    await runTest({ deployment, traits: this.#traits, internal, seen: this.#options.seen }, one.unified, one.test);
    left.shift();
    this.end(one, undefined);
  }

  #isAgain(one: Case, reason: string): boolean {
    if (!this.#bench.isTimed || one.mustFail || this.#again.has(one)) return false;
    this.#again.set(one, reason);
    return true;
  }

  #skip(one: Case): Skip | undefined {
    return one.unreadable === undefined ? skipOf(one, this.#bench, this.#traits) : undefined;
  }

  #note(one: Case, execution: Execution): void {
    this.executions.set(one, execution);
    this.#options.watch?.(one, execution);
  }
}

/** Groups cases by file. */
const byFile = (cases: readonly Case[]): readonly (readonly Case[])[] => {
  const files = new Map<Case['unified'], Case[]>();
  for (const one of cases) files.set(one.unified, [...(files.get(one.unified) ?? []), one]);
  return [...files.values()];
};

/**
 * Runs the cases on the bench, in order. The cases of one file share a deployment until one fails. On a bench in real
 * time, a failed case is run once more.
 */
export const runOnBench = async (
  bench: Bench,
  cases: readonly Case[],
  options: RunOptions = {},
): Promise<readonly Execution[]> => {
  const round = new Round(bench, await bench.lend(askTraits), options);
  for (const file of byFile(cases))
    for (let left = file.filter(one => round.begin(one)); left.length > 0;) left = [...(await round.runSome(left))];
  return cases.map(one => round.executions.get(one)!);
};
