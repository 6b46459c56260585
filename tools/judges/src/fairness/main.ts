import { conclude, print } from '@tessera-tools/house';
import { stretches } from './run.js';

/**
 * The longest time for which a command may keep other clients waiting, and may go on after `maxTimeMS` or `killOp`, in
 * milliseconds of CPU time.
 */
const most = 100;

/** Commands that take longer, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'hello, 5,000 times': 'the requests of one connection that arrive together are answered together',
  'usersInfo with privileges of 5,000 roles': 'the privileges of one user are computed together',
};

/** Runs the costly commands over a collection with this number of documents. */
export const judgeFairness = async (size: number): Promise<number> => {
  const failed = [];
  const skipped = [];
  let passed = 0;
  for await (const { name, longest, afterLimit, afterKill, error } of stretches(size, '')) {
    const times = [
      `${Math.round(longest)} ms without a pause`,
      `${Math.round(afterLimit)} ms after maxTimeMS`,
      `${Math.round(afterKill)} ms after killOp`,
    ];
    const result = times.join(', ');
    print(`${name}: ${result}${error === undefined ? '' : ` (${error.slice(0, 80)})`}`);
    const reason = exceptions[name];
    if (Math.max(longest, afterLimit, afterKill) <= most) passed += 1;
    else if (reason === undefined) failed.push({ title: `fairness: ${name}`, reason: result });
    else skipped.push({ title: `fairness: ${name}`, reason: `${result}: ${reason}` });
  }
  return conclude({ passed, failed, skipped });
};
