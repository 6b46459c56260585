import { idsByValue } from './ids-by-value.js';
import type { Known } from './known.js';

const tooShort: Omit<Known, 'name'> = {
  suite: 'client-side-operations-timeout',
  file: 'runCursorCommand.json',
  reason: 'the getMore is to time out, but is blocked for 60 ms of the 100 that timeoutMS gives it',
  proof: 'the same cases pass when the getMore is blocked for longer: see those of non-tailable-cursors.json',
};

export const embedded: readonly Known[] = [
  ...idsByValue,
  {
    ...tooShort,
    name: 'Non-tailable cursor iteration timeoutMS is refreshed for getMore if timeoutMode is iteration - failure',
  },
  { ...tooShort, name: 'Tailable cursor iteration timeoutMS is refreshed for getMore - failure' },
  {
    ...tooShort,
    name: 'Tailable cursor awaitData iteration timeoutMS is refreshed for getMore - failure',
    reason: 'the getMore is to time out, but neither client nor cursor has a timeoutMS',
    proof: 'tailable-awaitData.json says the same of a find, with a timeoutMS, and passes',
  },
];
