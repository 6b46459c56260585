import type { StartClusterOptions } from './start-cluster.js';
import type { StartOptions } from './start.js';

/** The parsed command line. */
export type CommandLine =
  | { readonly kind: 'start'; readonly options: StartOptions }
  | { readonly kind: 'cluster'; readonly options: StartClusterOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'mistake'; readonly sentence: string };

export const help = `Usage: tessera-server [--port N] [--bind-ip ADDRESS] [--server-version X.Y.Z] [--replica-set NAME]
                      [--topology KIND] [--data DIR] [--oplog-size MB] [--memory-limit MB]
                      [--max-connections N] [--test-commands] [--search] [--tls-… FILE]

A MongoDB-compatible server for tests and development. By default it keeps its data in memory,
listens on this machine only, and does not require authentication.

  --port N                 the port to listen on (default 27017; 0 for a free port)
  --bind-ip ADDRESS        the address to listen on (default 127.0.0.1)
  --server-version X.Y.Z   the MongoDB version to emulate, 4.2.0 to 8.2.x (default 8.2.1)
  --replica-set NAME       start a replica set with one member, for transactions, change streams and retryable writes
  --topology KIND          start several servers in this process, at consecutive ports from --port on:
                           replicaset:N (N members, default 3), sharded:N or load-balanced:N (N shards, default 1)
  --data DIR               keep the data in this folder, also after a crash (default: in memory)
  --oplog-size MB          memory for the oplog of a replica set member (default 24)
  --memory-limit MB        memory for documents and indexes (default: three quarters of the heap of Node.js)
  --max-connections N      the number of connections that a server accepts (default 10000)
  --test-commands          enable configureFailPoint, like enableTestCommands=1 of mongod
  --search                 enable search indexes and the stages $search, $searchMeta and $vectorSearch
  --tls-certificate-key-file FILE
                           certificate and private key of the server in PEM format; clients must then use TLS
  --tls-ca-file FILE       certificate authority that must have signed the certificates of clients
  --tls-allow-connections-without-certificates
                           with --tls-ca-file: also accept clients without a certificate
  --help                   print this text
  --version                print the version of this command
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
  '--search': 'search',
  '--tls-allow-connections-without-certificates': 'tlsAllowConnectionsWithoutCertificates',
} as const;

/** Options with a number: the name in the start options, an example, a check of the text, and the error for other texts. */
const numbers = {
  '--port': {
    field: 'port',
    example: '27017',
    fits: (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= 65535,
    sentence: 'is not a port. Give a number from 0 to 65535.',
  },
  '--memory-limit': {
    field: 'memoryLimitMB',
    example: '…',
    fits: (text: string): boolean => /^[1-9]\d{0,6}$/.test(text),
    sentence: 'is not a size. Give a number of megabytes of at least 1.',
  },
  '--oplog-size': {
    field: 'oplogSizeMB',
    example: '…',
    fits: (text: string): boolean => /^[1-9]\d{0,5}$/.test(text),
    sentence: 'is not a size. Give a number of megabytes of at least 1.',
  },
  '--max-connections': {
    field: 'maxIncomingConnections',
    example: '10000',
    fits: (text: string): boolean => /^[1-9]\d{0,6}$/.test(text),
    sentence: 'is not a number of connections. Give a whole number of at least 1.',
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

const mistake = (sentence: string): CommandLine => ({ kind: 'mistake', sentence });

/** Splits `--port=N` into `--port` and `N`. */
const split = (argument: string): readonly string[] => {
  const at = argument.startsWith('--') ? argument.indexOf('=') : -1;
  return at === -1 ? [argument] : [argument.slice(0, at), argument.slice(at + 1)];
};

const topologies = ['standalone', 'replicaset', 'sharded', 'load-balanced'] as const;

/** Parses a topology such as `replicaset:3`. Returns undefined if it is invalid. */
const topologyOf = (text: string): Pick<StartClusterOptions, 'topology' | 'members' | 'shards'> | undefined => {
  const [, kind, count] = /^([a-z-]+)(?::(\d+))?$/.exec(text) ?? [];
  const topology = topologies.find(one => one === kind);
  if (topology === undefined || (topology === 'standalone' && count !== undefined)) return undefined;
  if (count === undefined) return { topology };
  const n = Number(count);
  if (topology === 'replicaset') return n >= 1 && n <= 7 ? { topology, members: n } : undefined;
  return n >= 1 ? { topology, shards: n } : undefined;
};

/** Returns the start options of a cluster. Its replica set name is `setName`, not `replicaSet`. */
const clusterCommand = (topology: string, { replicaSet, ...options }: Given): CommandLine => {
  const known = topologyOf(topology);
  if (known === undefined) {
    return mistake(
      `--topology ${topology} is not a topology. Give standalone, replicaset:1 to replicaset:7, sharded:N or load-balanced:N.`,
    );
  }
  const named = replicaSet === undefined ? {} : { setName: replicaSet };
  return { kind: 'cluster', options: { ...options, ...named, ...known } };
};

/** Parses the arguments of the command. The first invalid argument results in a `mistake` that says what to do. */
export const readArguments = (given: readonly string[]): CommandLine => {
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
      return mistake(`Unknown argument ${word}. Run tessera-server --help to list the arguments.`);
    const value = words[i + 1];
    if (value === undefined || value === '' || value.startsWith('--'))
      return mistake(`${word} requires a value: ${word} ${isNumber(word) ? numbers[word].example : '…'}.`);
    i += 1;
    if (word === '--topology') topology = value;
    else if (isName(word)) options[names[word]] = value;
    else {
      const { field, fits, sentence } = numbers[word];
      if (!fits(value)) return mistake(`${word} ${value} ${sentence}`);
      options[field] = Number(value);
    }
  }
  return topology === undefined ? { kind: 'start', options } : clusterCommand(topology, options);
};
