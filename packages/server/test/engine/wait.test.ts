import { expect, test } from 'vitest';
import { Watchers } from '../../src/engine/watchers.js';
import { waitUntil } from '../../src/engine/wait.js';
import { ManualClock } from '../client.js';

const stage = () => {
  const [clock, watchers, leaving] = [new ManualClock(), new Watchers(), new AbortController()];
  const state = { holds: false, looked: 0 };
  const holds = (): boolean => {
    state.looked += 1;
    return state.holds;
  };
  const once = (wake: () => void): (() => void) => watchers.once(wake);
  const wait = (within: number) => waitUntil(holds, { clock, signal: leaving.signal, within, once });
  return { clock, watchers, leaving, state, wait };
};

test('waitUntil() returns at once if the condition holds, or if the signal is aborted', () => {
  const { clock, leaving, state, wait } = stage();
  state.holds = true;
  expect(wait(10)).toBe('there');
  state.holds = false;
  leaving.abort();
  expect([wait(10), clock.pending]).toEqual(['gone', 0]);
});

test('waitUntil() checks the condition on each wake-up, and leaves no timer when it holds', async () => {
  const { clock, watchers, state, wait } = stage();
  const waited = wait(10);
  watchers.wake();
  state.holds = true;
  watchers.wake();
  watchers.wake();
  expect([await waited, state.looked, clock.pending]).toEqual(['there', 3, 0]);
});

test('waitUntil() ends when its time is up, or when the signal is aborted', async () => {
  const { clock, watchers, leaving, state, wait } = stage();
  const [late, gone] = [wait(10), wait(Number.POSITIVE_INFINITY)];
  await clock.advance(10);
  expect(await late).toBe('late');
  leaving.abort();
  expect([await gone, clock.pending]).toEqual(['gone', 0]);
  const { looked } = state;
  watchers.wake();
  expect(state.looked).toBe(looked);
});

test('waitUntil() returns "there" if the condition holds when the time is up, even without a wake-up', async () => {
  const { clock, state, wait } = stage();
  const waited = wait(10);
  state.holds = true;
  await clock.advance(10);
  expect(await waited).toBe('there');
});
