import { expect, test } from 'vitest';
import { killAndLook, serverCommand } from '../../src/durability/kill.js';

test(
  'a server that is killed while it is written to has every write that was acknowledged with j: true, and no half of one',
  { timeout: 60_000 },
  async () => {
    const { kills, acknowledged, wrong } = await killAndLook(serverCommand, 5);
    expect(wrong).toEqual([]);
    expect(kills).toBe(5);
    expect(acknowledged).toBeGreaterThan(50);
  },
);
