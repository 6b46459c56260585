import type { StartClusterOptions } from './start-cluster.js';
import type { StartOptions } from './start.js';

/** What the command line asks for. */
export type Wish =
  | { readonly kind: 'start'; readonly options: StartOptions }
  | { readonly kind: 'cluster'; readonly options: StartClusterOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'mistake'; readonly sentence: string };

export const help = `Usage: tessera-server [--port N] [--bind-ip ADDRESS] [--server-version X.Y.Z] [--replica-set NAME]
                      [--topology KIND] [--data DIR] [--oplog-size MB] [--test-commands]
                      [--tls-… FILE]

A MongoDB-compatible server for tests and development. It keeps its data in memory, unless it is given
a folder, and asks nobody for a password.

  --port N                 the port to listen on (default 27017; 0 for a free one)
  --bind-ip ADDRESS        the address to listen on (default 127.0.0.1)
  --server-version X.Y.Z   the MongoDB version to stand in for (default 8.2.1)
  --replica-set NAME       be a replica set of one member, with retryable writes and $clusterTime
  --topology KIND          several servers in this process, at the port and those that follow:
                           replicaset:N (N members, default 3), sharded:N or load-balanced:N (N shards, default 1)
  --data DIR               keep the data in this folder: it is there at the next start, also after a crash
  --oplog-size MB          memory that the log of a replica set's member may keep (default 24)
  --test-commands          know configureFailPoint, as mongod does with enableTestCommands=1
  --tls-certificate-key-file FILE
                           the server's certificate and private key in PEM; connections must then use TLS
  --tls-ca-file FILE       the authority that must have signed the clients' certificates
  --tls-allow-connections-without-certificates
                           with --tls-ca-file: clients may also show no certificate
  --help                   this text
  --version                the version of this command
`;

const names = {
  '--bind-ip': 'bindIp',
  '--server-version': 'version',
  '--replica-set': 'replicaSet',
  '--data': 'data',
  '--tls-certificate-key-file': 'tlsCertificateKeyFile',
  '--tls-ca-file': 'tlsCAFile',
} as const;

const flags = {
  '--test-commands': 'testCommands',
  '--tls-allow-connections-without-certificates': 'tlsAllowConnectionsWithoutCertificates',
} as const;

/** Options whose value is a number: its field, an example, the test of its text, and the sentence about another text. */
const numbers = {
  '--port': {
    field: 'port',
    example: '27017',
    fits: (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= 65535,
    sentence: 'is no port: give a number from 0 to 65535.',
  },
  '--oplog-size': {
    field: 'oplogSizeMB',
    example: '…',
    fits: (text: string): boolean => /^[1-9]\d{0,5}$/.test(text),
    sentence: 'is no size: give a number of megabytes from 1 on.',
  },
} as const;

const isName = (name: string): name is keyof typeof names => Object.hasOwn(names, name);
const isNumber = (name: string): name is keyof typeof numbers => Object.hasOwn(numbers, name);
const isFlag = (name: string): name is keyof typeof flags => Object.hasOwn(flags, name);

type Given = { port: number } & {
  -readonly [Name in (typeof numbers)[keyof typeof numbers]['field']]?: number;
} & {
  -readonly [Name in (typeof names)[keyof typeof names]]?: string;
} & {
  -readonly [Name in (typeof flags)[keyof typeof flags]]?: boolean;
};

const mistake = (sentence: string): Wish => ({ kind: 'mistake', sentence });

/** `--port=N` is `--port N`. */
const split = (argument: string): readonly string[] => {
  const at = argument.startsWith('--') ? argument.indexOf('=') : -1;
  return at === -1 ? [argument] : [argument.slice(0, at), argument.slice(at + 1)];
};

const topologies = ['standalone', 'replicaset', 'sharded', 'load-balanced'] as const;

/** `replicaset:3`. Undefined: there is no such thing. */
const topologyOf = (text: string): Pick<StartClusterOptions, 'topology' | 'members' | 'shards'> | undefined => {
  const [, kind, count] = /^([a-z-]+)(?::(\d+))?$/.exec(text) ?? [];
  const topology = topologies.find(one => one === kind);
  if (topology === undefined || (topology === 'standalone' && count !== undefined)) return undefined;
  if (count === undefined) return { topology };
  const n = Number(count);
  if (topology === 'replicaset') return n >= 1 && n <= 7 ? { topology, members: n } : undefined;
  return n >= 1 ? { topology, shards: n } : undefined;
};

/** A cluster has the names that it has: only a set may be given one. */
const clusterWish = (topology: string, { replicaSet, ...options }: Given): Wish => {
  const known = topologyOf(topology);
  if (known === undefined) {
    return mistake(
      `--topology ${topology} is none: give standalone, replicaset:1 to replicaset:7, sharded:N or load-balanced:N.`,
    );
  }
  const named = replicaSet === undefined ? {} : { setName: replicaSet };
  return { kind: 'cluster', options: { ...options, ...named, ...known } };
};

/** Reads the arguments after the command's name. Every mistake gets one sentence that says what to do. */
export const readArguments = (given: readonly string[]): Wish => {
  const words = given.flatMap(split);
  const options: Given = { port: 27017 };
  let topology: string | undefined;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '--help' || word === '-h') return { kind: 'help' };
    if (word === '--version') return { kind: 'version' };
    if (isFlag(word)) {
      options[flags[word]] = true;
      continue;
    }
    if (!isName(word) && !isNumber(word) && word !== '--topology')
      return mistake(`There is no argument ${word}; tessera-server --help lists them all.`);
    const value = words[i + 1];
    if (value === undefined || value === '' || value.startsWith('--'))
      return mistake(`${word} needs a value: ${word} ${isNumber(word) ? numbers[word].example : '…'}.`);
    i += 1;
    if (word === '--topology') topology = value;
    else if (isName(word)) options[names[word]] = value;
    else {
      const { field, fits, sentence } = numbers[word];
      if (!fits(value)) return mistake(`${word} ${value} ${sentence}`);
      options[field] = Number(value);
    }
  }
  return topology === undefined ? { kind: 'start', options } : clusterWish(topology, options);
};
