import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const listening = '0A';

/** Returns the inodes of the sockets that listen on a port. */
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
    // The process belongs to another user or has exited.
    return [];
  }
};

/** Returns the id of this user's process that listens on a port. Linux only. @throws Error if there is none */
export const listenerOn = (port: number): number => {
  const sockets = socketsOf(port);
  const pid = readdirSync('/proc').find(
    name => /^\d+$/.test(name) && filesOf(name).some(file => sockets.includes(file)),
  );
  if (pid === undefined) throw new Error(`No process of this user listens on port ${port}.`);
  return Number(pid);
};
