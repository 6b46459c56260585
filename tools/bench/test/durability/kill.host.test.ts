import { expect, test } from 'vitest';
import { killAndVerify, serverCommand } from '../../src/durability/kill.js';

test(
  'a server that is killed during writes has every write acknowledged with j: true, and no partial write',
  { timeout: 60_000 },
  async () => {
    const { kills, acknowledged, wrong } = await killAndVerify(serverCommand, 5);
    expect(wrong).toEqual([]);
    expect(kills).toBe(5);
    expect(acknowledged).toBeGreaterThan(50);
  },
);
