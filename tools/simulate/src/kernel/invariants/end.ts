/** Invariants of the process: no leaks and no unexpected errors. */
import { at, factsOf } from '../invariant.js';
import type { Invariant } from '../invariant.js';
import { errorText } from '../words.js';

export const nothingLeft: Invariant = {
  name: 'nothing is left open after close: no socket, no timer',
  *breaches(history) {
    for (const { fact } of factsOf(history, 'leftover')) yield fact.what;
  },
};

export const nothingUnhandled: Invariant = {
  name: 'no rejection goes unhandled',
  *breaches(history) {
    for (const { at: time, fact } of factsOf(history, 'unhandled')) yield `at ${at(time)}: ${errorText(fact.reason)}`;
  },
};

export const nothingThrown: Invariant = {
  name: 'no error is thrown into the event loop, and the program does not stop',
  *breaches(history) {
    for (const { at: time, fact } of factsOf(history, 'thrown')) yield `at ${at(time)}: ${errorText(fact.error)}`;
  },
};
