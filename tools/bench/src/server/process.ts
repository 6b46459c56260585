import { readFileSync } from 'node:fs';

/** Of Linux, on every architecture that Node.js runs on. */
const ticksPerSecond = 100;

/** User and system time that a process has used so far, in milliseconds. Linux only. */
export const cpuOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command's name, in parentheses, may have anything inside.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
};

/** Memory of a process that is resident, in bytes. Linux only. */
export const residentOf = (pid: number): number => {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) * 1024;
};
