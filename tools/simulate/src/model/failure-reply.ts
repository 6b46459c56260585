import type { Document, TopologyVersion } from '@tessera/contracts';

const names: Readonly<Record<number, string>> = {
  91: 'ShutdownInProgress',
  10107: 'NotWritablePrimary',
  11600: 'InterruptedAtShutdown',
  11602: 'InterruptedDueToReplStateChange',
  13435: 'NotPrimaryNoSecondaryOk',
  13436: 'NotPrimaryOrSecondary',
};

/** A server that is not what it was taken for. The label is the server's to give. Rule: Retryable Writes. */
export const failureReply = (code: number, topologyVersion: TopologyVersion): Document => ({
  ok: 0,
  code,
  codeName: names[code],
  errmsg: `${names[code] ?? 'failed'} in this history`,
  errorLabels: ['RetryableWriteError'],
  topologyVersion,
});
