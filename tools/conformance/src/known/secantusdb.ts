import { idsByValue } from './ids-by-value.js';
import type { Known } from './known.js';

export const secantusdb: readonly Known[] = [...idsByValue];
