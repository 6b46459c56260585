import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

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

const listening = '0A';

/** The inodes of the sockets that listen on a port. */
const socketsOf = (port: number): readonly string[] => {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(file =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map(line => line.trim().split(/\s+/))
      .filter(fields => fields[1]?.endsWith(`:${hexPort}`) === true && fields[3] === listening)
      .map(fields => `socket:[${fields[9]!}]`),
  );
};

const filesOf = (pid: string): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/fd`).map(file => readlinkSync(`/proc/${pid}/fd/${file}`));
  } catch {
    // Somebody else's, or it has just ended.
    return [];
  }
};

/** The process of this user that listens on a port. Linux only. @throws Error if there is none */
export const listenerOn = (port: number): number => {
  const sockets = socketsOf(port);
  const pid = readdirSync('/proc').find(
    name => /^\d+$/.test(name) && filesOf(name).some(file => sockets.includes(file)),
  );
  if (pid === undefined) throw new Error(`No process of this user listens on port ${port}`);
  return Number(pid);
};
