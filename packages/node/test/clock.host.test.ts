import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createNode } from '@tessera/node';

const { clock } = createNode();

test('Clock: a timer fires once, in a later turn, and never before its time', async () => {
  const began = clock.now();
  let fired = 0;
  let inSameTurn = true;
  const after = await new Promise<number>(resolve => {
    clock.startTimer(12.5, () => {
      fired++;
      expect(inSameTurn).toBe(false);
      resolve(clock.now() - began);
    });
    inSameTurn = false;
  });
  expect(after).toBeGreaterThanOrEqual(12.5);
  expect(fired).toBe(1);
});

test('Clock: a cancelled timer does not fire', async () => {
  let fired = false;
  clock.startTimer(1, () => (fired = true)).cancel();
  await clock.sleep(10);
  expect(fired).toBe(false);
});

test('Clock: a timer longer than Node.js supports, and an infinite one, do not fire at once', async () => {
  let fired = 0;
  const timers = [2 ** 31, 2 ** 40, Infinity].map(after => clock.startTimer(after, () => fired++));
  await clock.sleep(10);
  for (const timer of timers) timer.cancel();
  expect(fired).toBe(0);
});

test('Clock: sleep rejects with the reason of its signal, before and during the sleep', async () => {
  const early = AbortSignal.abort('no');
  await expect(clock.sleep(1000, early)).rejects.toBe('no');
  const controller = new AbortController();
  const sleeping = clock.sleep(60_000, controller.signal);
  controller.abort('enough');
  await expect(sleeping).rejects.toBe('enough');
});

test('Clock: wallTime is the time of day in milliseconds', () => {
  expect(Math.abs(clock.wallTime() - Date.now())).toBeLessThan(1000);
});

/** The number of timers that keep the process alive. */
// oxlint-disable-next-line nodejs/no-unsupported-features/node-builtins -- experimental, but all versions have it
const liveTimers = (): number => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;

test('Clock: a timer keeps the process alive until it fires or is cancelled, unless it is in the background', () => {
  const before = liveTimers();
  const background = clock.startTimer(60_000, () => undefined, { background: true });
  const seen = [liveTimers() - before];
  const foreground = clock.startTimer(60_000, () => undefined);
  seen.push(liveTimers() - before);
  foreground.cancel();
  seen.push(liveTimers() - before);
  background.cancel();
  expect(seen).toEqual([0, 1, 0]);
});

test('Clock: an infinite timer starts no host timer', () => {
  const before = liveTimers();
  const timer = clock.startTimer(Infinity, () => undefined);
  expect(liveTimers() - before).toBe(0);
  timer.cancel();
});

test('Clock: a host timer that fires early is restarted for the remaining time', async () => {
  const { setTimeout: real } = globalThis;
  const waits: unknown[] = [];
  globalThis.setTimeout = ((fire: () => void, wait: number) => {
    waits.push(wait);
    return real(fire, 0);
  }) as typeof setTimeout;
  try {
    const began = clock.now();
    await clock.sleep(20.5);
    expect(clock.now() - began).toBeGreaterThanOrEqual(20.5);
  } finally {
    globalThis.setTimeout = real;
  }
  expect(waits[0]).toBe(21);
  expect(waits.slice(1)).not.toEqual([]);
  expect(waits.slice(1).every(wait => Number(wait) <= 21)).toBe(true);
});

test('Clock: sleep leaves no signal listener and no timer behind when it ends or is aborted', async () => {
  const { signal } = new AbortController();
  await clock.sleep(1, signal);
  const controller = new AbortController();
  // Other timers of the process may end in another turn of the event loop, so count within one.
  const before = liveTimers();
  const counts = (): readonly number[] => [getEventListeners(controller.signal, 'abort').length, liveTimers() - before];
  const sleeping = clock.sleep(60_000, controller.signal);
  const during = counts();
  controller.abort();
  const late = clock.sleep(60_000, controller.signal);
  const after = counts();
  await expect(sleeping).rejects.toBe(controller.signal.reason);
  await expect(late).rejects.toBe(controller.signal.reason);
  expect([getEventListeners(signal, 'abort').length, during, after]).toEqual([0, [1, 1], [0, 0]]);
});
