import type { Resolver, SrvRecord } from '@tessera/contracts';

const record = {
  srv: /^(_\S+?)\.?\s+\d+\s+IN\s+SRV\s+(\d+)\s+(\S+)$/,
  txt: /^(\S+?)\.?\s+\d+\s+IN\s+TXT\s+(".*")$/,
};

const add = <T>(to: Map<string, T[]>, name: string, value: T): void => {
  const known = to.get(name);
  if (known === undefined) to.set(name, [value]);
  else known.push(value);
};

/**
 * A name server with the records that a text holds, one a line: `name ttl IN SRV port target`, `name ttl IN TXT "…" "…"`. As a
 * real one it rejects a name without SRV records.
 */
export const resolverOf = (text: string): Resolver => {
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
  return {
    srv: name => {
      const records = srv.get(name);
      return records === undefined ? Promise.reject(new Error(`querySrv ENOTFOUND ${name}`)) : Promise.resolve(records);
    },
    txt: name => Promise.resolve(txt.get(name) ?? []),
  };
};
