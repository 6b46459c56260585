import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Tally } from '@tessera-tools/house';
import { nothing, root, takeTally } from '@tessera-tools/house';
import { runCommand } from '../outside/command.js';
import { kept } from '../folders.js';

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');

const reporters = ['--silent=passed-only', '--reporter=minimal', '--reporter=./scripts/tally-reporter.mjs'];

/** Runs the driver's integration tests, and returns their tally. */
export async function runIntegration(env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Tally> {
  const file = join(kept, 'data', `tally-${process.pid}.json`);
  mkdirSync(join(kept, 'data'), { recursive: true });
  const command = [
    ...[process.execPath, vitest, 'run', '--project', 'host', 'packages/mongodb/test/integration'],
    ...reporters,
  ];
  const code = await runCommand(command, { ...env, TALLY: file }, signal);
  const tally = takeTally(file);
  const counted = tally !== undefined && (code === 0 || tally.failed.length > 0);
  if (counted) return tally;
  const failed = {
    title: 'integration tests',
    reason: `Vitest ended with exit code ${code}, although no test failed.`,
  };
  return { ...(tally ?? nothing), failed: [failed] };
}
