import { Unavailable } from '../outside/unavailable.js';
import type { Tally } from '@tessera-tools/house';
import { nothing, print } from '@tessera-tools/house';
import { acceptedOf } from './accepted.js';
import type { Chosen } from './command-line.js';
import { makeCertificates } from './certificates.js';
import type { Deployment } from './deployment.js';
import { startEmbedded } from './embedded.js';
import { isComparable, startSecantus } from './outside.js';
import type { Prepared, TestResult } from './peer.js';
import { headerOf, missing, notesOf, rowOf, shareOf, summaryOf, totalOf } from './table.js';
import { tallyOf } from './tally-of.js';
import { nameOf, wordsOf } from './topology.js';
import type { Verdict } from './verdict.js';
import { compare, judge } from './verdict.js';

/** The options of a run that do not depend on the peer. */
export interface RunContext {
  readonly signal: AbortSignal;
  /** Whether to run the tests on SecantusDB as well, where it supports the shape. */
  readonly against: boolean;
}

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** Runs one file on its own deployment. */
async function resultsOf(
  prepared: Prepared,
  { file, more, signal }: { readonly file: string; readonly more: readonly string[]; readonly signal: AbortSignal },
  starting: Promise<Deployment>,
): Promise<readonly TestResult[]> {
  await using at = await starting;
  return await prepared.run({ file, at, more, signal });
}

async function runFile(prepared: Prepared, chosen: Chosen, file: string, context: RunContext): Promise<Verdict> {
  const { peer, shape, more } = chosen;
  const { signal, against } = context;
  using made = prepared.tls === undefined && shape.tls ? makeCertificates() : undefined;
  const tls = shape.tls ? (prepared.tls ?? made) : undefined;
  let verdict: Verdict;
  try {
    const results = await resultsOf(prepared, { file, more, signal }, startEmbedded(shape, tls));
    verdict = judge(file, results, acceptedOf(peer.name, wordsOf(shape)), more.length === 0);
  } catch (error) {
    if (signal.aborted || !(error instanceof Error) || error instanceof Unavailable) throw error;
    verdict = { file, passed: 0, failed: [{ title: file, reason: error.message }], accepted: [], skipped: [] };
  }
  if (!against || !isComparable(shape)) return verdict;
  return compare(
    verdict,
    await resultsOf(prepared, { file, more, signal }, startSecantus(shape, signal)),
    'SecantusDB',
  );
}

/** The result of one client on one deployment. */
export interface PeerResult {
  readonly tally: Tally;
  /** The line in the summary of all clients. */
  readonly line: string;
}

const titleOf = ({ peer, shape }: Chosen): string => `${peer.name} (${nameOf(shape)})`;

async function runPrepared(chosen: Chosen, context: RunContext): Promise<PeerResult> {
  const { peer, shape, files } = chosen;
  const { signal, against } = context;
  const prepared = await peer.prepare(signal);
  const outside = against && isComparable(shape) ? 'SecantusDB' : undefined;
  print(`${peer.description}: ${nameOf(shape)}\n\n${headerOf(outside)}`);
  const start = performance.now();
  const verdicts: Verdict[] = [];
  for (const file of files) {
    const begin = performance.now();
    const verdict = await runFile(prepared, chosen, file, context);
    verdicts.push(verdict);
    print(rowOf(verdict, secondsSince(begin)));
  }
  const seconds = secondsSince(start);
  print(totalOf(verdicts, seconds));
  for (const line of [shareOf(verdicts), '', ...notesOf(verdicts), '']) print(line);
  const title = titleOf(chosen);
  return { tally: tallyOf(title, verdicts), line: summaryOf(title, verdicts, seconds) };
}

/** Runs tests of one peer on one shape of deployment. An unavailable client counts as one skipped check. */
export async function runPeer(chosen: Chosen, context: RunContext): Promise<PeerResult> {
  try {
    return await runPrepared(chosen, context);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const title = titleOf(chosen);
    const skipped = { title: `${title}: all tests`, reason: error.message };
    print(`skipped: ${skipped.title}: ${skipped.reason}\n`);
    return { tally: { ...nothing, skipped: [skipped] }, line: missing(title) };
  }
}
