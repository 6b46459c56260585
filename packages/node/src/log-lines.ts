import { appendFileSync } from 'node:fs';

/**
 * Returns a function that writes lines to `stdout`, `stderr` (in any case), or the end of a file, which is created if
 * needed. The file is opened for each line, so it may be moved at any time, and no line is lost when the process ends.
 * @throws an error if the file cannot be written, now or later
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
