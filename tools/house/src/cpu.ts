import { readFileSync } from 'node:fs';

/** The clock tick of Linux, the same on every architecture that Node.js supports. */
const millisecondsPerTick = 10;

/** Returns the user and system time of a process so far, in milliseconds. Linux only. @throws Error if it has exited */
export const cpuOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name, in parentheses, may contain any characters.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick;
};
