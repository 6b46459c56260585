import { messageOf } from '@tessera-tools/house';
import { engines } from '../../outside/engines.js';
import type { EngineName } from '../../outside/engines.js';
import { startEngine } from '../../outside/start.js';
import { Unavailable } from '../../outside/unavailable.js';
import { abilities, notOffered } from './ability.js';
import type { Ability, Outcome } from './ability.js';
import { openExercises } from './open-exercises.js';
import { startSecured } from './secured.js';
import { securedExercises } from './secured-exercises.js';

export type Outcomes = ReadonlyMap<Ability, Outcome>;

/** Returns the message of an error as a sentence on one line. */
const sentence = (error: unknown): string => messageOf(error).replaceAll(/\s+/g, ' ').trim();

const wrong = (error: unknown): Outcome =>
  error instanceof Unavailable ? { is: 'skipped', reason: error.message } : { is: 'no', reason: sentence(error) };

/** Starts one engine and runs every exercise on it. If the engine does not start, every exercise fails. */
async function exerciseAll<T extends AsyncDisposable>(
  start: () => Promise<T>,
  exercises: readonly (readonly [Ability, (engine: T) => Promise<void>])[],
): Promise<readonly (readonly [Ability, Outcome])[]> {
  if (exercises.length === 0) return [];
  const outcomes = new Map<Ability, Outcome>();
  try {
    await using engine = await start();
    for (const [ability, exercise] of exercises) {
      outcomes.set(ability, await exercise(engine).then((): Outcome => ({ is: 'yes' }), wrong));
    }
  } catch (error) {
    for (const [ability] of exercises) outcomes.set(ability, wrong(error));
  }
  return [...outcomes];
}

/**
 * Tries every ability of the driver on one engine. Each ability is a small exercise with the public client, on the
 * engine without authentication or on the engine with TLS and users.
 * @throws the reason of the signal when it aborts
 */
export async function judge(name: EngineName, signal: AbortSignal): Promise<Outcomes> {
  const lacking = notOffered[name];
  const offered = <E>(exercises: Readonly<Partial<Record<Ability, E>>>): [Ability, E][] =>
    (Object.entries(exercises) as [Ability, E][]).filter(([ability]) => lacking[ability] === undefined);
  const open = offered(openExercises).map(
    ([ability, exercise]) => [ability, ({ uri }: { readonly uri: string }) => exercise(uri)] as const,
  );
  const found = new Map([
    ...(await exerciseAll(() => startEngine(name, { signal }), open)),
    ...(await exerciseAll(
      () => startSecured(name, signal),
      offered(securedExercises(engines[name].auth !== undefined)),
    )),
  ]);
  signal.throwIfAborted();
  return new Map(
    abilities.map(ability => {
      const reason = lacking[ability];
      return [ability, reason === undefined ? found.get(ability)! : { is: 'not offered', reason }];
    }),
  );
}
