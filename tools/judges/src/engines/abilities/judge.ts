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

/** A whole sentence, on one line. */
const sentence = (error: unknown): string => messageOf(error).replaceAll(/\s+/g, ' ').trim();

const wrong = (error: unknown): Outcome =>
  error instanceof Unavailable ? { is: 'skipped', reason: error.message } : { is: 'no', reason: sentence(error) };

/** Every exercise on one engine, started for them; an engine that does not start is wrong in all of them. */
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
 * What one engine accepts of the driver: every ability is a small exercise by the public client, on the engine as it is and on the
 * engine with TLS and users.
 * @throws what the signal says when it aborts
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
