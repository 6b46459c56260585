import { audited, headingsOf, notInAudited } from './list.js';
import type { HeadingList } from './list.js';

const sdam = 'Server Discovery and Monitoring';
const sdamPlan = 'server-discovery-and-monitoring/server-discovery-and-monitoring-tests.md';
const polling = 'Polling SRV Records';
const pollingFile = 'polling-srv-records-for-mongos-discovery/tests/README.md';
const dns = 'Initial DNS Seedlist Discovery';
const dnsFile = 'initial-dns-seedlist-discovery/tests/README.md';
const dnsCommit = '2d40b9687fdc47074df337caeffc7ffdf25f0b26';

export const discoveryHeadings: readonly HeadingList[] = [
  headingsOf(sdam, sdamPlan, audited, [
    ['1', 'All servers unavailable'],
    ['2', 'Network error writing to primary'],
    ['3', '"Not writable primary" error when reading without SecondaryOk bit'],
    ['4', '"Node is recovering" error reading with SecondaryOk bit'],
    ['5', '"Node is recovering" error from a write concern error'],
    ['6.2', 'Write command'],
    ['6.3', 'Query with SecondaryOk bit'],
    ['6.4', 'Query without SecondaryOk bit'],
    ['6.5', 'Count with SecondaryOk bit'],
    ['6.6', 'Count without SecondaryOk bit'],
    ['7.1', 'Topology discovery'],
    ['7.2', 'Direct connection'],
    ['7.3', 'Existing behavior'],
    ['8', 'Monitors sleep at least minHeartbeatFrequencyMS between checks'],
    ['9', 'Connection Pool Management'],
    ['13', 'Connection Pool Backpressure'],
  ]),
  headingsOf(sdam, sdamPlan, '2cd0b4a69d4951130179d640ab76d521ddea4b25', [['6.1', 'getLastError']], notInAudited),
  headingsOf(sdam, 'server-discovery-and-monitoring/tests/README.md', '2665a24c996e676167092768ec960cdcc4482d17', [
    ['10', 'Streaming protocol Tests'],
    ['11', 'RTT Tests'],
    ['12', 'Heartbeat Tests'],
  ]),
  headingsOf(
    'Server Selection',
    'server-selection/server-selection-tests.md',
    '3bbd9aebf2e728c9ea6b12afaddf047aaf2e8334',
    [
      ['1', 'ReadPreference Document Validation'],
      ['2.1', 'Calculating Round Trip Time (first and later measurements)'],
      ['2.2', 'Calculating Round Trip Time (negative values)'],
      ['2.3', 'Calculating Round Trip Time (reset)'],
      ['3', 'Server Selection'],
      ['4.1', 'Passing ReadPreference to Mongos (PRIMARY)'],
      ['4.2', 'Passing ReadPreference to Mongos (PRIMARY_PREFERRED)'],
      ['4.3', 'Passing ReadPreference to Mongos (SECONDARY)'],
      ['4.4', 'Passing ReadPreference to Mongos (SECONDARY_PREFERRED)'],
      ['4.5', 'Passing ReadPreference to Mongos (NEAREST)'],
      ['5', 'Random Selection Within Latency Window (single-threaded drivers)'],
      ['6', 'operationCount-based Selection Within Latency Window (multi-threaded or async drivers)'],
      ['7', 'Application-Provided Server Selector'],
    ],
  ),
  headingsOf('Max Staleness', 'max-staleness/max-staleness-tests.md', '1af86fa9ca105c886fbb85172749a821a018232e', [
    ['1.1', 'Basic'],
    ['1.2', 'No maxStalenessSeconds with mode "primary"'],
    ['1.3', 'Specifying "no max staleness" with "-1"'],
    ['1.4', 'No validation'],
    ['2', 'heartbeatFrequencyMS is configurable'],
    ['3.1', 'Parse lastWriteDate'],
    ['3.2', 'Direct connection to mongos'],
    ['4.1', 'maxStalenessSeconds and mode "primary"'],
    ['4.2', 'Validation'],
    ['4.3', 'maxStalenessSeconds too small'],
  ]),
  headingsOf(polling, pollingFile, 'c1bee3b7b1c052bc0a6815963cf8ab441bce3b94', [
    ['1', 'Addition of a new DNS record'],
    ['2', 'Removal of an existing DNS record'],
    ['3', 'Replacement of a DNS record'],
    ['4', 'Replacement of both existing DNS records with one new record'],
    ['5', 'Replacement of both existing DNS records with two new records'],
    ['6', 'DNS record lookup timeout'],
    ['7', 'DNS record lookup failure'],
    ['8', 'Removal of all DNS SRV records'],
    ['9', 'Test that SRV polling is not done for load balalanced clusters'],
    ['10', 'All DNS records are selected (srvMaxHosts = 0)'],
    ['11', 'All DNS records are selected (srvMaxHosts >= records)'],
    ['12', 'New DNS records are randomly selected (srvMaxHosts > 0)'],
    ['13', 'DNS record with custom service name can be found'],
  ]),
  headingsOf(
    polling,
    pollingFile,
    1980,
    [
      ['14', 'The validator is consulted when SRV records are rescanned'],
      ['15', 'A validator that rejects or raises does not raise an error or stop polling'],
    ],
    notInAudited,
  ),
  headingsOf(dns, dnsFile, dnsCommit, [
    ['1', 'Allow SRVs with fewer than 3 . separated parts'],
    ['2', 'Throw when return address does not end with SRV domain'],
    ['3', 'Throw when return address is identical to SRV hostname'],
    ['4', 'Throw when return address does not contain . separating shared part of domain'],
  ]),
  headingsOf(
    dns,
    dnsFile,
    dnsCommit,
    [
      ['5', 'srvHostValidator accepts a host the default verification would reject'],
      ['6', 'Reject a host the default verification would accept'],
      ['7', 'The validator receives the normalized host name'],
      ['8', 'Wrap an error raised by the validator'],
      ['9', 'Throw when both srvAllowedHostsSuffix and srvHostValidator are configured'],
      ['10', 'Accept a mixed case returned address with srvAllowedHostsSuffix'],
      ['11', 'Throw when srvHostValidator is not callable'],
      ['12', 'Accept a reserved single label as srvAllowedHostsSuffix'],
      ['13', 'Throw when srvHostValidator is used with a non-SRV URI'],
    ],
    notInAudited,
  ),
  headingsOf(
    'Public Suffix List',
    'public-suffix-list/tests/README.md',
    '21858aaa4e980d9a8b87f4d91d96c5e206483d13',
    [
      ['1', 'A multi-label ordinary rule'],
      ['2', 'A shorter wildcard rule'],
      ['3', 'A longer wildcard rule'],
      ['4', 'An exception rule'],
      ['5', 'No rule matches'],
      ['6', 'An internationalized rule'],
    ],
    notInAudited,
  ),
  headingsOf('Load Balancers', 'load-balancers/tests/README.md', 'ca4a205867b3bd80d0ace7d369cab6b2114a1012', []),
];
