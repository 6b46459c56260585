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

test('Clock: a timer beyond what Node.js can count, and one for ever, do not fire at once', async () => {
  let fired = 0;
  const timers = [2 ** 31, 2 ** 40, Infinity].map(after => clock.startTimer(after, () => fired++));
  await clock.sleep(10);
  for (const timer of timers) timer.cancel();
  expect(fired).toBe(0);
});

test('Clock: sleep rejects with the reason of its signal, before and during', async () => {
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
