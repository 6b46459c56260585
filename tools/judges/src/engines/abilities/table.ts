import type { Tally } from '@tessera-tools/house';
import { abilities } from './ability.js';
import type { Outcome } from './ability.js';
import type { Outcomes } from './judge.js';

/** The outcomes of each engine, by its name. */
export type Judged = ReadonlyMap<string, Outcomes>;

const aligned = (lines: readonly (readonly string[])[]): readonly string[] => {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map(cells => cells[column]!.length)));
  return lines.map(cells =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
};

interface Marked {
  readonly cell: string;
  readonly note: string | undefined;
}

/** Numbers the reasons. Equal reasons share one note below the table. */
const marker = (): ((outcome: Outcome) => Marked) => {
  const numbers = new Map<string, number>();
  return outcome => {
    if (outcome.is === 'yes') return { cell: 'yes', note: undefined };
    const known = numbers.get(outcome.reason);
    const number = known ?? numbers.size + 1;
    numbers.set(outcome.reason, number);
    return {
      cell: `${outcome.is} [${number}]`,
      note: known === undefined ? `[${number}] ${outcome.reason}` : undefined,
    };
  };
};

/** Formats the outcomes as a table of abilities and engines, followed by the reason for each cell that is not "yes". */
export const abilityTable = (judged: Judged): string => {
  const mark = marker();
  const rows = abilities.map(ability => ({
    ability,
    marks: [...judged.values()].map(outcomes => mark(outcomes.get(ability)!)),
  }));
  const lines = [
    ['', ...judged.keys()],
    ...rows.map(({ ability, marks }) => [ability, ...marks.map(({ cell }) => cell)]),
  ];
  const notes = rows.flatMap(({ marks }) => marks.flatMap(({ note }) => (note === undefined ? [] : [note])));
  return [...aligned(lines), ...notes].join('\n');
};

/** Counts each ability of an engine as one check. */
export const tallyOf = (outcomes: Outcomes): Tally => {
  const notes = (is: readonly Outcome['is'][]): Tally['failed'] =>
    [...outcomes].flatMap(([title, outcome]) =>
      outcome.is !== 'yes' && is.includes(outcome.is) ? [{ title, reason: outcome.reason }] : [],
    );
  return {
    passed: [...outcomes.values()].filter(({ is }) => is === 'yes').length,
    failed: notes(['no']),
    skipped: notes(['not offered', 'skipped']),
  };
};
