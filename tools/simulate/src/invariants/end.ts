/** Of the program as a whole. */
import { errorText } from '../error-text.js';
import { at, factsOf } from './invariant.js';
import type { Invariant } from './invariant.js';

export const nothingLeft: Invariant = {
  name: 'nothing is left open after close: no socket, no timer',
  broken: history => {
    const [first] = factsOf(history, 'leftover');
    return first?.fact.what;
  },
};

export const nothingUnhandled: Invariant = {
  name: 'no rejection goes unhandled',
  broken: history => {
    const [first] = factsOf(history, 'unhandled');
    return first === undefined ? undefined : `at ${at(first.at)}: ${errorText(first.fact.reason)}`;
  },
};

export const nothingThrown: Invariant = {
  name: 'nothing is thrown into the event loop, and the program does not stop',
  broken: history => {
    const [first] = factsOf(history, 'thrown');
    return first === undefined ? undefined : `at ${at(first.at)}: ${errorText(first.fact.error)}`;
  },
};
