import type { Outcome } from './operation.js';
import type { Halt, Tally, Undecided } from './tally.js';

/** Extended JSON, the commonest wrappers taken away where nothing is lost by it. */
const brief = (value: unknown): string => JSON.stringify(value).replaceAll(/\{"\$numberInt":"(-?\d+)"\}/g, '$1');

const outcomeText = (outcome: Outcome): string =>
  outcome.kind === 'refused'
    ? `error ${outcome.code}: ${outcome.message}`
    : `${brief(outcome.result)}${outcome.after === undefined ? '' : ` after: ${brief(outcome.after)}`}`;

export const undecidedText = ({ pair, origin }: Undecided, engine: string): string =>
  [
    `undecided (${pair.operation.family}; ${origin})`,
    `  documents ${brief(pair.documents)}`,
    ...(pair.foreign.length > 0 ? [`  foreign   ${brief(pair.foreign)}`] : []),
    ...(pair.operation.index === undefined ? [] : [`  index     ${brief(pair.operation.index)}`]),
    `  command   ${brief(pair.operation.command)}`,
    `  ours      ${outcomeText(pair.ours)}`,
    `  ${engine.padEnd(9)} ${outcomeText(pair.theirs)}`,
    '',
  ].join('\n');

export const haltText = ({ silences, lastWords }: Halt, engine: string): string =>
  [
    `${engine} is started again: ${lastWords ?? 'it had to be killed'}`,
    ...silences.map(silence => `  ${silence}`),
    '',
  ].join('\n');

const percent = (part: number, whole: number): string => `${whole === 0 ? 0 : Math.round((100 * part) / whole)}%`;

/** From so many operations on, a rule that never held is worth a word. */
const long = 10_000;

/** How much was done, how it compares, and what the operations were worth. */
export const summaryOf = (tally: Tally, engine: string, verbose: boolean): string => {
  const explained = [...tally.explained].filter(([, times]) => times > 0);
  const sum = explained.reduce((total, [, times]) => total + times, 0);
  const lines = [
    `${engine}: ${tally.done} operations done, ${tally.equal} equal (${tally.refused} of all refused by us), ${sum} differences explained, ${tally.undecided.length} undecided`,
    ...(tally.halts.length > 0
      ? [`  ${tally.halts.length} × started again: it answered nobody any more, or had ended`]
      : []),
    ...(tally.spoilt.length > 0 ? [`  ${tally.spoilt.length} × batches given up:`] : []),
    ...tally.spoilt.map(reason => `    ${reason.slice(0, 300)}`),
    ...explained.map(([{ name, reason }, times]) => `  ${times} × ${name}: ${reason}`),
  ];
  if (tally.done >= long)
    for (const [{ name }, times] of tally.explained)
      if (times === 0) lines.push(`  stale: the rule "${name}" never held`);
  lines.push('  families, and how many of their operations had an effect:');
  for (const [name, { done, effective }] of [...tally.families].sort())
    lines.push(`    ${name}: ${done}, ${percent(effective, done)}`);
  const idle = [...tally.operators]
    .filter(([, { done, effective }]) => done >= 20 && effective === 0)
    .map(([name]) => name);
  if (idle.length > 0) lines.push(`  operators without any effect: ${idle.sort().join(', ')}`);
  if (verbose) {
    lines.push('  operators, and how many of the operations with them had an effect:');
    for (const [name, { done, effective }] of [...tally.operators].sort())
      lines.push(`    ${name}: ${done}, ${percent(effective, done)}`);
  }
  return `${lines.join('\n')}\n`;
};
