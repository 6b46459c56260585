import type { Known } from './known.js';
import { ownFaults } from './own-faults.js';

export const secantusdb: readonly Known[] = [...ownFaults];
