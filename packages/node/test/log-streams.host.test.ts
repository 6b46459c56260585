import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('Logging, "Configurable Log Destination": writes to stdout and stderr, named in any case', async () => {
  const program = `
    import { openLog } from ${JSON.stringify(new URL('../dist/log-lines.js', import.meta.url).href)};
    openLog('STDOUT')('out');
    openLog('stderr')('err');
  `;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  await expect(run).resolves.toEqual({ stdout: 'out\n', stderr: 'err\n' });
});
