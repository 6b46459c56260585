/** Reports of the server's figures: `serverStatus`, `top`, and the latencies of collections. */
import type { Entry, Value } from '@tessera/mql/engine';
import { DateValue, Doc, double, isAtLeast } from '@tessera/mql/engine';
import { databasesOf, isView, namespacesOf } from '@tessera/store';
import type { Measure } from '../engine/usage.js';
import type { Call, Command, Fields } from './command.js';
import { command } from './command.js';

const doc = (...entries: readonly Entry[]): Doc => Doc.of(entries);

const micros = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1000));

const long = (n: number): bigint => BigInt(Math.round(n));

const measureDoc = ({ time, count }: Measure): Doc => doc(['time', micros(time)], ['count', long(count)]);

const latency = ({ time, count }: Measure): Doc => doc(['latency', micros(time)], ['ops', long(count)]);

const together = (...measures: readonly Measure[]): Measure => ({
  time: measures.reduce((sum, { time }) => sum + time, 0),
  count: measures.reduce((sum, { count }) => sum + count, 0),
});

const zeros = (...names: readonly string[]): Doc => Doc.of(names.map(name => [name, 0n]));

/** Returns the latencies of a collection. `histograms: true` adds histograms, which have a single bucket here. */
export const latenciesOf = ({ server: { usage } }: Call, ns: string, withHistograms: boolean): Doc => {
  const { reads, writes } = usage.of(ns);
  const shown = (measure: Measure): Doc =>
    withHistograms
      ? doc(
          ['histogram', measure.count === 0 ? [] : [doc(['micros', 0n], ['count', long(measure.count)])]],
          ...latency(measure),
        )
      : latency(measure);
  const none: Measure = { count: 0, time: 0 };
  return doc(
    ['reads', shown(reads)],
    ['writes', shown(writes)],
    ['commands', shown(none)],
    ['transactions', shown(none)],
  );
};

export const top: Command = command({
  name: 'top',
  lenient: true,
  adminOnly: true,
  help: 'Lists all collections with the numbers and times of the commands on them.',
  run: ({ data: { value }, server: { usage } }) => [
    [
      'totals',
      Doc.of([
        ['note', 'all times in microseconds'],
        ...databasesOf(value).flatMap(db =>
          namespacesOf(value, db)
            .filter(namespace => !isView(namespace))
            .map(({ settings: { ns } }): readonly [string, Doc] => {
              const { operations, reads, writes } = usage.of(ns);
              return [
                ns,
                doc(
                  ['total', measureDoc(together(reads, writes))],
                  ['readLock', measureDoc(reads)],
                  ['writeLock', measureDoc(writes)],
                  ...Object.entries(operations).map(([name, measure]) => [name, measureDoc(measure)] as const),
                ),
              ];
            }),
        ),
      ]),
    ],
  ],
});

/** Commands that have a counter of their own. The counter `command` counts all others. */
const counted: ReadonlySet<string> = new Set(['insert', 'find', 'update', 'delete', 'getMore']);

const opcounters = ({ engine: { documents }, server: { counters } }: Call): Doc => {
  const count = (name: string): bigint => long(counters.get(name) ?? 0);
  const others = [...counters].reduce((sum, [name, n]) => (counted.has(name) ? sum : sum + n), 0);
  return doc(
    ['insert', long(documents.inserted)],
    ['query', count('find')],
    ['update', count('update')],
    ['delete', count('delete')],
    ['getmore', count('getMore')],
    ['command', long(others)],
  );
};

const metrics = ({ engine: { cursors, documents }, server: { counters, usage } }: Call): Doc => {
  const commands = [...counters].sort(([a], [b]) => (a < b ? -1 : 1));
  return doc(
    [
      'commands',
      Doc.of(
        commands.map(([name, total]) => [
          name,
          doc(['failed', long(usage.failed.get(name) ?? 0)], ['total', long(total)]),
        ]),
      ),
    ],
    [
      'cursor',
      doc(
        ['timedOut', long(cursors.timedOut)],
        ['open', doc(['noTimeout', long(cursors.endless)], ['pinned', 0n], ['total', long(cursors.size)])],
      ),
    ],
    [
      'document',
      doc(
        ['deleted', long(documents.deleted)],
        ['inserted', long(documents.inserted)],
        ['returned', long(documents.returned)],
        ['updated', long(documents.updated)],
      ),
    ],
  );
};

const transactions = ({
  engine: {
    transactions: { size, counts },
  },
}: Call): Doc =>
  doc(
    ['currentOpen', long(size)],
    ['totalAborted', long(counts.aborted)],
    ['totalCommitted', long(counts.committed)],
    ['totalStarted', long(counts.started)],
  );

/** Returns the sections of `serverStatus` by name. */
const sections = (call: Call): Fields => {
  const { engine, server } = call;
  const { usage, traffic, connections } = server;
  const failures = [...usage.failed.values()].reduce((sum, n) => sum + n, 0);
  const { ownSubject } = call.client.peer;
  const megabytes = Math.ceil(engine.memory.bytesOf(engine.value) / 0x10_0000);
  const uptime = engine.clock.now() - engine.startedAt;
  return [
    ['asserts', doc(['regular', 0], ['warning', 0], ['msg', 0], ['user', failures], ['rollovers', 0])],
    [
      'connections',
      doc(
        ['current', connections.current],
        ['available', connections.most - connections.current],
        ['totalCreated', connections.totalCreated],
        ...(isAtLeast(engine.version, '6.3') ? ([['rejected', connections.rejected]] as const) : []),
        ['active', 1 + [...engine.operations].length],
      ),
    ],
    [
      'globalLock',
      doc(
        ['totalTime', micros(uptime)],
        ['currentQueue', doc(['total', 0], ['readers', 0], ['writers', 0])],
        ['activeClients', doc(['total', connections.current], ['readers', 0], ['writers', 0])],
      ),
    ],
    ['logicalSessionRecordCache', doc(['activeSessionsCount', engine.sessions.size])],
    [
      'network',
      doc(
        ['bytesIn', long(traffic.bytesIn)],
        ['bytesOut', long(traffic.bytesOut)],
        ['physicalBytesIn', long(traffic.bytesIn)],
        ['physicalBytesOut', long(traffic.bytesOut)],
        ['numRequests', long(traffic.requests)],
      ),
    ],
    [
      'opLatencies',
      doc(
        ['reads', latency(usage.reads)],
        ['writes', latency(usage.writes)],
        ['commands', latency(usage.others)],
        ['transactions', zeros('latency', 'ops')],
      ),
    ],
    ['opcounters', opcounters(call)],
    ...(server.role.kind === 'member'
      ? [['opcountersRepl', zeros('insert', 'query', 'update', 'delete', 'getmore', 'command')] as const]
      : []),
    ...(ownSubject === undefined ? [] : [['security', doc(['SSLServerSubjectName', ownSubject])] as const]),
    ['storageEngine', doc(['name', 'tessera'], ['persistent', engine.disk !== undefined])],
    ['transactions', transactions(call)],
    ['mem', doc(['bits', 64], ['resident', megabytes], ['virtual', megabytes], ['supported', true])],
    ['metrics', metrics(call)],
  ];
};

const isExcluded = (value: Value | undefined): boolean => value === 0 || value === false;

export const serverStatus: Command = command({
  name: 'serverStatus',
  lenient: true,
  help: 'Returns counters since the start of the server.',
  run: call => {
    const { engine, server, body } = call;
    const uptime = engine.clock.now() - engine.startedAt;
    return [
      ['host', server.address],
      ['version', engine.version.text],
      ['process', 'tessera-server'],
      ['service', ['tessera']],
      ['pid', 0n],
      ['uptime', double(Math.floor(uptime / 1000))],
      ['uptimeMillis', BigInt(Math.floor(uptime))],
      ['uptimeEstimate', BigInt(Math.floor(uptime / 1000))],
      ['localTime', new DateValue(engine.clock.wallTime())],
      ...sections(call).filter(([name]) => !isExcluded(body.get(name))),
    ];
  },
});
