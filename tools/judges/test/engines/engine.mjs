// A fake engine. It prints a port but does not listen, starts a child process, and leaves data in its folder.
import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';

const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
if (process.argv.includes('--again')) appendFileSync('data', ', and more');
else writeFileSync('data', 'some');
if (!process.argv.includes('--end')) writeFileSync('processes', JSON.stringify([process.pid, child.pid]));
process.stdout.write(`${JSON.stringify([process.pid, child.pid])}\nlistening on 127.0.0.1:1\n`);
if (process.argv.includes('--end')) {
  child.kill();
  process.stderr.write('disk full\n');
  process.exitCode = 3;
} else {
  setInterval(() => {}, 1000);
}
