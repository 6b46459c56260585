import type { Reason } from './reasons.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The reasons as a table of Markdown. */
export const tableOf = (reasons: readonly Reason[]): string =>
  [
    '| Call | This driver | npm `mongodb` | Reason |',
    '| --- | --- | --- | --- |',
    ...reasons.map(({ call, here, there, why }) => `| ${[call, here, there, why].map(cell).join(' | ')} |`),
  ].join('\n');
