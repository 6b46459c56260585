import { specification } from './specification.js';
import type { Row, Specification } from './specification.js';

const opQuery = 'This is a reply to OP_QUERY. The driver sends OP_MSG only, so no server replies this way.';
const ofMongos = 'The specification assigns this test to the server repository.';
const noSuffixList = 'The driver does not include the Public Suffix List (see features.md).';
const withoutNumber = 'Numbered in the order of the headings.';

const serverDiscovery: readonly Row[] = [
  ['1', 'A client is created without an error although all servers are unreachable'],
  ['2', 'A network error while writing to the primary'],
  [
    '3',
    'A "not writable primary" error in reply to a read from the primary',
    undefined,
    'The test plan says that the client must not check the former primary immediately. The specification itself (`server-discovery-and-monitoring.md`) requires an immediate check from multi-threaded and asynchronous clients after every such error. The driver follows the specification.',
  ],
  ['4', 'A "node is recovering" error in reply to a read from a secondary'],
  ['5', 'A "node is recovering" error in the write concern error of a write to the primary'],
  ['6.1', 'State change errors: getLastError', 'Removed from the specification; no supported server has getLastError.'],
  ['6.2', 'State change errors: a write command'],
  ['6.3', 'State change errors: an OP_QUERY query with the SecondaryOk flag', opQuery],
  ['6.4', 'State change errors: an OP_QUERY query without the SecondaryOk flag', opQuery],
  ['6.5', 'State change errors: a count that may run on a secondary'],
  ['6.6', 'State change errors: a count that must run on the primary'],
  ['7.1', 'With directConnection=false and a secondary as seed, a write succeeds on the primary'],
  ['7.2', 'With directConnection=true and a secondary as seed, a write fails'],
  ['7.3', 'Without directConnection and a secondary as seed, a write succeeds on the primary'],
  ['8', 'Monitors wait at least minHeartbeatFrequencyMS between failed checks'],
  ['9', 'A pool becomes ready after a successful check and is cleared by a failed check'],
  ['10', 'Streaming: with heartbeatFrequencyMS=500 a server replies about every 500 ms'],
  ['11', 'The round-trip time is updated continuously'],
  ['12', 'The serverHeartbeatStarted event precedes the connection attempt of the monitor'],
  ['13', 'Connections that the server rejects under load do not clear the pool'],
];

const serverSelection: readonly Row[] = [
  ['1', 'Read preference mode primary with tag sets is an error'],
  ['2.1', 'The first round-trip time becomes the average; later ones are weighted'],
  ['2.2', 'Negative round-trip times are rejected'],
  ['2.3', 'The average round-trip time is reset when the server disconnects'],
  [
    '3',
    'Suitable servers and servers within the latency window',
    'The cases are fixtures, which `npm run conformance` runs.',
  ],
  ['4.1', 'The read preference sent to mongos: primary'],
  ['4.2', 'The read preference sent to mongos: primaryPreferred'],
  ['4.3', 'The read preference sent to mongos: secondary'],
  [
    '4.4',
    'The read preference sent to mongos: secondaryPreferred',
    undefined,
    'The test plan says that secondaryPreferred without tag sets is not sent. That is the rule for OP_QUERY. The section about OP_MSG of the same specification requires `$readPreference` for every mode but primary, and the driver sends OP_MSG only.',
  ],
  ['4.5', 'The read preference sent to mongos: nearest'],
  [
    '5',
    'Random selection within the latency window',
    'For single-threaded drivers only; this driver selects by operation count.',
  ],
  ['6', 'Selection by operation count within the latency window'],
  ['7', "The application's server selector decides among the eligible servers"],
];

const maxStaleness: readonly Row[] = [
  ['1.1', 'maxStalenessSeconds is read from the connection string'],
  ['1.2', 'maxStalenessSeconds with mode primary is an error'],
  ['1.3', 'maxStalenessSeconds=-1 means no limit'],
  ['1.4', 'A small maxStalenessSeconds is accepted when the client is created'],
  ['2', 'heartbeatFrequencyMS in the connection string sets the interval of checks'],
  ['3.1', 'lastWriteDate is read from the hello reply and increases'],
  ['3.2', 'maxStalenessSeconds is sent to mongos as an integer, or omitted'],
  ['4.1', 'mongos rejects maxStalenessSeconds with mode primary', ofMongos],
  ['4.2', 'mongos rejects a maxStalenessSeconds that is not an integer', ofMongos],
  ['4.3', 'mongos rejects a maxStalenessSeconds under 90', ofMongos],
];

const pollingSrv: readonly Row[] = [
  ['1', 'A record is added'],
  ['2', 'A record is removed'],
  ['3', 'A record is replaced'],
  ['4', 'Both records are replaced by one new record'],
  ['5', 'Both records are replaced by two new records'],
  ['6', 'A DNS lookup that times out does not change the hosts'],
  ['7', 'A DNS lookup that fails does not change the hosts'],
  ['8', 'A DNS lookup without records does not change the hosts'],
  ['9', 'The records of load balanced clusters are not polled'],
  ['10', 'With srvMaxHosts=0 all records are used'],
  ['11', 'With srvMaxHosts equal to the number of records all records are used'],
  ['12', 'With srvMaxHosts below the number of records new hosts are chosen at random'],
  ['13', 'Records with a custom srvServiceName are found'],
  ['14', 'srvHostValidator is called again at every poll'],
  ['15', 'A srvHostValidator that rejects or throws neither raises an error nor stops polling'],
];

const initialDns: readonly Row[] = [
  ['1', 'An SRV host name with fewer than three parts is accepted'],
  ['2', 'A returned host outside the domain of the SRV host name is rejected'],
  ['3', 'A returned host that equals a short SRV host name is rejected'],
  ['4', 'A returned host that ends with the domain, but not at a dot, is rejected'],
  ['5', 'srvHostValidator can accept a host that the default check rejects'],
  ['6', 'srvHostValidator can reject a host that the default check accepts'],
  ['7', 'srvHostValidator receives the normalized host name'],
  ['8', 'An error thrown by srvHostValidator is wrapped in an error of the driver'],
  ['9', 'srvAllowedHostsSuffix together with srvHostValidator is an error'],
  ['10', 'srvAllowedHostsSuffix ignores letter case'],
  ['11', 'A srvHostValidator that is not a function is an error'],
  ['12', 'srvAllowedHostsSuffix accepts a reserved single label'],
  ['13', 'srvHostValidator without a mongodb+srv connection string is an error'],
];

const publicSuffixes: readonly Row[] = [
  ['1', 'A rule of several labels', noSuffixList],
  ['2', 'A short wildcard rule', noSuffixList],
  ['3', 'A longer wildcard rule', noSuffixList],
  ['4', 'An exception rule', noSuffixList],
  ['5', 'No rule matches', noSuffixList],
  ['6', 'An internationalized rule', noSuffixList],
];

/** Discovery, monitoring and selection of servers. */
export const discovery: readonly Specification[] = [
  specification('Server Discovery and Monitoring', withoutNumber, serverDiscovery),
  specification('Server Selection', withoutNumber, serverSelection),
  specification('Max Staleness', withoutNumber, maxStaleness),
  specification('Polling SRV Records', '', pollingSrv),
  specification('Initial DNS Seedlist Discovery', '', initialDns),
  specification('Public Suffix List', '', publicSuffixes),
  specification(
    'Load Balancers',
    'The specification has no prose tests: its cases are fixtures, which `npm run conformance` runs, and `packages/client/test/load-balanced.test.ts` tests its sentences.',
    [],
  ),
];
