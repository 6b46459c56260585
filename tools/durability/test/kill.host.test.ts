import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { killAndLook } from '../src/kill.js';

const cli = fileURLToPath(new URL('../../../packages/tessera-server/dist/cli.js', import.meta.url));

test(
  'a server that is killed while it is written to has every write that was acknowledged with j: true, and no half of one',
  { timeout: 60_000 },
  async () => {
    const { kills, acknowledged, wrong } = await killAndLook([process.execPath, cli], 5);
    expect(wrong).toEqual([]);
    expect(kills).toBe(5);
    expect(acknowledged).toBeGreaterThan(50);
  },
);
