import type { Known } from './known.js';

export const secantusdb: readonly Known[] = [];
