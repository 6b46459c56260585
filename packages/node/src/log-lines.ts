import { appendFileSync } from 'node:fs';

/**
 * Lines to `stdout`, `stderr` (in any spelling), or the end of a file, which is made if it is not there. A file is opened
 * for each line: so it may be moved away at any time, and nothing is lost when the process ends.
 * @throws if the file cannot be written to, now or later.
 */
export const openLog = (path: string): ((line: string) => void) => {
  const standard = path.toLowerCase();
  if (standard === 'stdout' || standard === 'stderr') {
    const stream = process[standard];
    return line => {
      stream.write(`${line}\n`);
    };
  }
  appendFileSync(path, '');
  return line => {
    appendFileSync(path, `${line}\n`);
  };
};
