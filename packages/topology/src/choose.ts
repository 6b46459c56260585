import type { Random, Server } from '@tessera/contracts';

/**
 * One of the servers in the latency window, none of which is better than another but for its load: the less busy of two
 * random ones. Rule: Server Selection, "Server Selection Algorithm", steps 6 and 7.
 */
export const choose = (servers: readonly Server[], random: Random): Server | undefined => {
  const count = servers.length;
  if (count < 2) return servers[0];
  const first = Math.floor(random.unit() * count);
  const other = Math.floor(random.unit() * (count - 1));
  const a = servers[first]!;
  const b = servers[other < first ? other : other + 1]!;
  return a.pool.load <= b.pool.load ? a : b;
};
