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

test('What holds is not waited for, and nobody waits who is gone already', () => {
  const { clock, leaving, state, wait } = stage();
  state.holds = true;
  expect(wait(10)).toBe('there');
  state.holds = false;
  leaving.abort();
  expect([wait(10), clock.pending]).toEqual(['gone', 0]);
});

test('It is looked at whenever somebody is woken, and at the end no timer is left', async () => {
  const { clock, watchers, state, wait } = stage();
  const waited = wait(10);
  watchers.wake();
  state.holds = true;
  watchers.wake();
  watchers.wake();
  expect([await waited, state.looked, clock.pending]).toEqual(['there', 3, 0]);
});

test('It ends with the time, and with whoever waits', async () => {
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

test('What holds when the time is over is there, though nobody was woken', async () => {
  const { clock, state, wait } = stage();
  const waited = wait(10);
  state.holds = true;
  await clock.advance(10);
  expect(await waited).toBe('there');
});
