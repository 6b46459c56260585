import { createChance } from '../../chance.js';
import type { Person } from './people.js';
import { drawn } from './people.js';
import type { Step } from './strangers.js';
import { drawStranger, requestStep } from './strangers.js';

/** The frames of one connection: of a user after login, or a client before login. */
export interface DoorCase {
  readonly number: number;
  readonly person: Person | undefined;
  readonly steps: readonly Step[];
}

/** Draws the case with this number. The same seed and number give the same case. */
export const doorCase = (seed: number, number: number): DoorCase => {
  const chance = createChance(Math.imul(seed, 2_000_003) + number);
  if (chance.yes(0.3)) return { number, person: undefined, steps: drawStranger(chance) };
  const person = chance.weighted(drawn);
  const steps = chance.many(1, 6, () => requestStep(chance, person));
  return { number, person, steps };
};
