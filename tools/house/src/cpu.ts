import { readFileSync } from 'node:fs';

/** Of Linux, on every architecture that Node.js runs on. */
const millisecondsPerTick = 10;

/** User and system time that a process has used so far, in milliseconds. Linux only. @throws Error if it has ended */
export const cpuOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command's name, in parentheses, may have anything inside.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick;
};
