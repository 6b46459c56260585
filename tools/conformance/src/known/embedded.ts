import type { Known } from './known.js';
import { ownFaults } from './own-faults.js';

export const embedded: readonly Known[] = ownFaults;
