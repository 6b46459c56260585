import { Unavailable } from '../outside/unavailable.js';
import type { Tally } from '@tessera-tools/house';
import { nothing, print } from '@tessera-tools/house';
import { acceptedOf } from './accepted.js';
import type { Chosen } from './wish.js';
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

/** What a run needs of the process around it. */
export interface Around {
  readonly signal: AbortSignal;
  /** Runs the tests on SecantusDB, too, where it can be what is asked for. */
  readonly against: boolean;
}

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** One file, on a deployment of its own. */
async function resultsOf(
  prepared: Prepared,
  { file, more, signal }: { readonly file: string; readonly more: readonly string[]; readonly signal: AbortSignal },
  starting: Promise<Deployment>,
): Promise<readonly TestResult[]> {
  await using at = await starting;
  return await prepared.run({ file, at, more, signal });
}

async function runFile(prepared: Prepared, chosen: Chosen, file: string, around: Around): Promise<Verdict> {
  const { peer, shape, more } = chosen;
  const { signal, against } = around;
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

/** What tests of one client on one deployment came to. */
export interface Ran {
  readonly tally: Tally;
  /** Its line of the table behind all tables. */
  readonly line: string;
}

const titleOf = ({ peer, shape }: Chosen): string => `${peer.name} (${nameOf(shape)})`;

async function runPrepared(chosen: Chosen, around: Around): Promise<Ran> {
  const { peer, shape, files } = chosen;
  const { signal, against } = around;
  const prepared = await peer.prepare(signal);
  const outside = against && isComparable(shape) ? 'SecantusDB' : undefined;
  print(`${peer.description}: ${nameOf(shape)}\n\n${headerOf(outside)}`);
  const start = performance.now();
  const verdicts: Verdict[] = [];
  for (const file of files) {
    const begin = performance.now();
    const verdict = await runFile(prepared, chosen, file, around);
    verdicts.push(verdict);
    print(rowOf(verdict, secondsSince(begin)));
  }
  const seconds = secondsSince(start);
  print(totalOf(verdicts, seconds));
  for (const line of [shareOf(verdicts), '', ...notesOf(verdicts), '']) print(line);
  const title = titleOf(chosen);
  return { tally: tallyOf(title, verdicts), line: summaryOf(title, verdicts, seconds) };
}

/** Runs tests of one peer on one shape of deployment. A client that cannot be had here is one skipped check. */
export async function runPeer(chosen: Chosen, around: Around): Promise<Ran> {
  try {
    return await runPrepared(chosen, around);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const title = titleOf(chosen);
    const skipped = { title: `${title}: its tests`, reason: error.message };
    print(`skipped: ${skipped.title}: ${skipped.reason}\n`);
    return { tally: { ...nothing, skipped: [skipped] }, line: missing(title) };
  }
}
