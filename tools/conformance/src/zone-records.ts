import type { SrvRecord } from '@tessera/contracts';

/** The DNS records of a zone: SRV records by service name, TXT records by host name. */
export interface ZoneRecords {
  readonly srv: ReadonlyMap<string, readonly SrvRecord[]>;
  readonly txt: ReadonlyMap<string, readonly (readonly string[])[]>;
}

const zone = 'test.build.10gen.cc';
const local = `localhost.${zone}`;

const at = (host: string, ...ports: readonly number[]): readonly SrvRecord[] => ports.map(port => ({ host, port }));

/** The SRV records of each test, by the test's number. */
const targets: Readonly<Record<number, readonly SrvRecord[]>> = {
  1: at(local, 27_017, 27_018),
  2: at(local, 27_018, 27_019),
  3: at(local, 27_017),
  5: at(local, 27_017),
  6: at(local, 27_017),
  7: at(local, 27_017),
  8: at(local, 27_017),
  10: at(local, 27_017),
  11: at(local, 27_017),
  12: at('localhost.build.10gen.cc', 27_017),
  13: at(zone, 27_017),
  14: at('localhost.not-test.build.10gen.cc', 27_017),
  15: at('localhost.test.not-build.10gen.cc', 27_017),
  16: at('localhost.test.build.not-10gen.cc', 27_017),
  17: at('localhost.test.build.10gen.not-cc', 27_017),
  18: at(`localhost.sub.${zone}`, 27_017),
  19: [...at('localhost.evil.build.10gen.cc', 27_017), ...at(local, 27_017)],
  20: at(local, 27_017),
  21: at(local, 27_017),
  23: at(local, 8000),
  24: at(local, 8000),
};

const texts: Readonly<Record<number, readonly (readonly string[])[]>> = {
  5: [['replicaSet=repl0&authSource=thisDB']],
  6: [['replicaSet=repl0'], ['authSource=otherDB']],
  7: [['ssl=false']],
  8: [['authSource']],
  10: [['socketTimeoutMS=500']],
  11: [['replicaS', 'et=rep', 'l0']],
  20: [['loadBalanced=true']],
  21: [['loadBalanced=false']],
  24: [['loadBalanced=true']],
};

/** The records of the test zone. Rule: Initial DNS Seedlist Discovery, "Test Setup". */
export const testZone: ZoneRecords = {
  srv: new Map([
    ...Object.entries(targets).map(([test, records]) => [`_mongodb._tcp.test${test}.${zone}`, records] as const),
    // The published list has only the first of these two hosts. The test and the real zone have both.
    [`_customname._tcp.test22.${zone}`, at(local, 27_017, 27_018)],
    ['_mongodb._tcp.build.10gen.cc', at('build.10gen.cc', 27_017)],
    [`_mongodb._tcp.${zone}`, at(zone, 27_017)],
  ]),
  txt: new Map(Object.entries(texts).map(([test, records]) => [`test${test}.${zone}`, records])),
};
