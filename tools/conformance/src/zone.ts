import type { Resolver, SrvRecord } from '@tessera/contracts';
import type { ZoneRecords } from './zone-records.js';

const record = {
  srv: /^(_\S+?)\.?\s+\d+\s+IN\s+SRV\s+(\d+)\s+(\S+)$/,
  txt: /^(\S+?)\.?\s+\d+\s+IN\s+TXT\s+(".*")$/,
};

const add = <T>(to: Map<string, T[]>, name: string, value: T): void => {
  const known = to.get(name);
  if (known === undefined) to.set(name, [value]);
  else known.push(value);
};

/** Parses DNS records, one per line: `name ttl IN SRV port target`, `name ttl IN TXT "…" "…"`. */
export const readZone = (text: string): ZoneRecords => {
  const srv = new Map<string, SrvRecord[]>();
  const txt = new Map<string, string[][]>();
  for (const line of text.split('\n').map(one => one.trim())) {
    const [, service, port, host] = record.srv.exec(line) ?? [];
    if (service !== undefined && host !== undefined) add(srv, service, { host, port: Number(port) });
    const [, name, quoted] = record.txt.exec(line) ?? [];
    if (name !== undefined && quoted !== undefined)
      add(
        txt,
        name,
        Array.from(quoted.matchAll(/"([^"]*)"/g), match => match[1] ?? ''),
      );
  }
  return { srv, txt };
};

/** A resolver that answers from the first zone with a matching name. It rejects a name without SRV records. */
export const resolverOf = (...zones: readonly ZoneRecords[]): Resolver => ({
  srv: name => {
    const records = zones.map(zone => zone.srv.get(name.toLowerCase())).find(found => found !== undefined);
    return records === undefined ? Promise.reject(new Error(`querySrv ENOTFOUND ${name}`)) : Promise.resolve(records);
  },
  txt: name =>
    Promise.resolve(zones.map(zone => zone.txt.get(name.toLowerCase())).find(found => found !== undefined) ?? []),
});
