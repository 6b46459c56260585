import { fileURLToPath } from 'node:url';
import { line, writeTally } from '@tessera-tools/house';
import { killAndLook } from './kill.js';

const usage = `npm run durability                 kills a tessera-server with --data 50 times while clients write with j: true
npm run durability -- --times 5    as often as that
`;

const timesIn = (words: readonly string[]): number | undefined => {
  if (words.length === 0) return 50;
  const [name, value = ''] = words;
  return name === '--times' && words.length === 2 && /^[1-9]\d*$/.test(value) ? Number(value) : undefined;
};

const times = timesIn(process.argv.slice(2));
if (times === undefined) {
  process.stdout.write(usage);
  process.exitCode = 2;
} else {
  const began = performance.now();
  const command = [
    process.execPath,
    fileURLToPath(new URL('../../../packages/tessera-server/dist/cli.js', import.meta.url)),
  ];
  const { kills, acknowledged, wrong, reports } = await killAndLook(command, times);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  for (const sentence of wrong) process.stdout.write(`${sentence}\n`);
  process.stdout.write(
    `${kills} kills in ${seconds} s: ${acknowledged} writes were acknowledged with j: true, ${reports.length} torn ends were cut off, ${wrong.length} things are wrong\n`,
  );
  const failed = wrong.map(reason => ({ title: 'durability: what was acknowledged with j: true is there', reason }));
  const tally = { passed: wrong.length === 0 ? kills : 0, failed, skipped: [] };
  writeTally(tally);
  process.stdout.write(`${line(tally)}\n`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
