import type { Outcome } from './operation.js';
import type { Halt, Tally, Undecided } from './tally.js';

/** Formats a value as Extended JSON, with int32 values as plain numbers. */
const brief = (value: unknown): string => JSON.stringify(value).replaceAll(/\{"\$numberInt":"(-?\d+)"\}/g, '$1');

const outcomeText = (outcome: Outcome): string =>
  outcome.kind === 'refused'
    ? `error ${outcome.code}: ${outcome.message}`
    : `${brief(outcome.result)}${outcome.after === undefined ? '' : ` after: ${brief(outcome.after)}`}`;

export const undecidedText = ({ pair, origin }: Undecided, engine: string): string =>
  [
    `unexplained (${pair.operation.family}; ${origin})`,
    `  documents ${brief(pair.documents)}`,
    ...(pair.foreign.length > 0 ? [`  foreign   ${brief(pair.foreign)}`] : []),
    ...(pair.operation.index === undefined ? [] : [`  index     ${brief(pair.operation.index)}`]),
    `  command   ${brief(pair.operation.command)}`,
    `  ours      ${outcomeText(pair.ours)}`,
    `  ${engine.padEnd(9)} ${outcomeText(pair.theirs)}`,
    '',
  ].join('\n');

export const haltText = ({ unanswered, lastWords }: Halt, engine: string): string =>
  [
    `${engine} is restarted: ${lastWords ?? 'it did not reply and was killed'}`,
    ...unanswered.map(message => `  ${message}`),
    '',
  ].join('\n');

const percent = (part: number, whole: number): string => `${whole === 0 ? 0 : Math.round((100 * part) / whole)}%`;

/** The number of operations from which unused rules are reported. */
const long = 10_000;

/** Summarizes a run: the number of operations, their results, and their effects. */
export const summaryOf = (tally: Tally, engine: string, verbose: boolean): string => {
  const explained = [...tally.explained].filter(([, times]) => times > 0);
  const sum = explained.reduce((total, [, times]) => total + times, 0);
  const lines = [
    `${engine}: ${tally.done} operations run, ${tally.equal} equal (${tally.refused} of all failed on our server), ${sum} differences explained, ${tally.undecided.length} unexplained`,
    ...(tally.halts.length > 0 ? [`  ${tally.halts.length} × restarted, because it did not reply or had ended`] : []),
    ...(tally.damaged.length > 0 ? [`  ${tally.damaged.length} × batches abandoned:`] : []),
    ...tally.damaged.map(reason => `    ${reason.slice(0, 300)}`),
    ...explained.map(([{ name, reason }, times]) => `  ${times} × ${name}: ${reason}`),
  ];
  if (tally.done >= long)
    for (const [{ name }, times] of tally.explained)
      if (times === 0) lines.push(`  stale: the rule "${name}" never matched`);
  lines.push('  families, and the share of their operations with an effect:');
  for (const [name, { done, effective }] of [...tally.families].sort())
    lines.push(`    ${name}: ${done}, ${percent(effective, done)}`);
  const idle = [...tally.operators]
    .filter(([, { done, effective }]) => done >= 20 && effective === 0)
    .map(([name]) => name);
  if (idle.length > 0) lines.push(`  operators without an effect: ${idle.sort().join(', ')}`);
  if (verbose) {
    lines.push('  operators, and the share of operations with an effect:');
    for (const [name, { done, effective }] of [...tally.operators].sort())
      lines.push(`    ${name}: ${done}, ${percent(effective, done)}`);
  }
  return `${lines.join('\n')}\n`;
};
