import type { Figure, Measurement } from './measure.js';

const cellWidth = 29;

const cell = (figure: Figure | undefined, first: Figure): string => {
  if (figure === undefined) return ' '.repeat(cellWidth);
  const micros = figure.cpuMicrosPerOperation;
  const cpu = micros < 1000 ? `${micros.toFixed(1)} us` : `${(micros / 1000).toFixed(1)} ms`;
  const rate = `${figure.operationsPerSecond.toFixed(figure.operationsPerSecond < 100 ? 1 : 0)}/s`;
  const ratio = figure === first ? '' : `: x${(first.operationsPerSecond / figure.operationsPerSecond).toFixed(1)}`;
  return `${cpu.padStart(9)} ${rate.padStart(9)}${ratio.padEnd(10)}`;
};

/** Formats the table: CPU time per operation, rate, and the ratio of the embedded server's rate to another server's. */
export const tableOf = ({ rows }: Measurement, subjects: readonly string[]): string => {
  const width = Math.max(...rows.map(({ title }) => title.length));
  const lines = [`${' '.repeat(width)}  ${subjects.map(name => name.padEnd(cellWidth)).join('')}`];
  for (const { title, figures } of rows) {
    const cells = subjects.map(name =>
      cell(
        figures.find(({ subject }) => subject === name),
        figures[0]!,
      ),
    );
    lines.push(`${title.padEnd(width)}  ${cells.join('')}`.trimEnd());
  }
  return lines.join('\n');
};
