import type { Figure, Measurement } from './measure.js';

const cell = (figure: Figure, reference: Figure): string => {
  const micros = figure.cpuMicrosPerOperation;
  const cpu = micros < 1000 ? `${micros.toFixed(1)} us` : `${(micros / 1000).toFixed(1)} ms`;
  const rate = `${figure.operationsPerSecond.toFixed(figure.operationsPerSecond < 100 ? 1 : 0)}/s`;
  const ratio = (figure.operationsPerSecond / reference.operationsPerSecond).toFixed(2);
  return `${cpu.padStart(10)} ${rate.padStart(9)} x${ratio.padStart(5)}`;
};

/** CPU of the server per operation, rate at the client, and the rate as a multiple of the last server's. */
export const tableOf = ({ rows, memory }: Measurement): string => {
  const names = memory.map(({ subject }) => subject);
  const width = Math.max(...rows.map(({ title }) => title.length), 20);
  const lines = [`${' '.repeat(width)}  ${names.map(name => name.padStart(27)).join('  ')}`];
  for (const { title, figures } of rows) {
    lines.push(`${title.padEnd(width)}  ${figures.map(figure => cell(figure, figures.at(-1)!)).join('  ')}`);
  }
  const held = memory.map(({ bytesPerDocument }) => `${bytesPerDocument.toFixed(0)} bytes`.padStart(27));
  lines.push(`${'memory per document'.padEnd(width)}  ${held.join('  ')}`);
  return lines.join('\n');
};
