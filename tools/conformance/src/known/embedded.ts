import type { Known } from './known.js';

export const embedded: readonly Known[] = [];
