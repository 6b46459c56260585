import type { Measurement } from './measure.js';

/** Whether a figure meets its target. */
export interface Finding {
  readonly title: string;
  readonly met: boolean;
  /** The figure and its target. */
  readonly text: string;
}

/** The minimum ratio of the embedded server's rate to that of every other server. */
const leastRate = 1;

/** Higher minimums, by a prefix of the row's title. */
const rates: readonly (readonly [row: string, other: string, least: number])[] = [
  ['findOne by _id, 16 in flight', 'mongo-java-server', 3],
  ['findOne by _id, 16 in flight', 'secantusdb', 10],
  ['insertMany', 'mongo-java-server', 3],
];

const mostMemory = 3;

const mostStandalone = 60;

const mostThreeMembers = 120;

/** The maximum times for a million documents, in milliseconds. A process needs a part of the time for its start. */
const mostLoading = 12_000;
const mostReopening = 5_000;
const mostProcessStart = 500;

const mostPause = 50;

/**
 * The maximum ratio of the CPU time in the large collection to the small one. It allows for a deeper tree and more
 * cache misses.
 */
const mostScale = 1.25;

const rateFindings = ({ rows }: Measurement): readonly Finding[] =>
  rows.flatMap(({ title, figures: [ours, ...others] }) =>
    others.map(({ subject, operationsPerSecond }) => {
      const special = rates.find(([row, other]) => title.startsWith(row) && other === subject);
      const least = special?.[2] ?? leastRate;
      const ratio = ours!.operationsPerSecond / operationsPerSecond;
      const text = `${ratio.toFixed(2)} times the rate of ${subject} (target: at least ${least})`;
      return { title: `${title}, compared with ${subject}`, met: ratio >= least, text };
    }),
  );

/** Compares the CPU time of the server, because the client's time would hide a difference. */
const scaleFinding = ({ rows }: Measurement): readonly Finding[] => {
  const own = rows.filter(({ title, figures }) => title.startsWith('find of 10 ') && figures.length === 1);
  const [few, many] = own;
  if (few === undefined || many === undefined) return [];
  const ratio = many.figures[0]!.cpuMicrosPerOperation / few.figures[0]!.cpuMicrosPerOperation;
  const text = `${ratio.toFixed(2)} times the CPU time of the small collection (target: at most ${mostScale})`;
  return [{ title: many.title, met: ratio <= mostScale, text }];
};

const timeFinding = (title: string, milliseconds: number, most: number): Finding => ({
  title,
  met: milliseconds <= most,
  text: `${milliseconds.toFixed(0)} ms (target: at most ${most.toFixed(0)})`,
});

export const findingsOf = (measurement: Measurement): readonly Finding[] => {
  const { memoryRatio, starts, durable } = measurement;
  const memory = `${memoryRatio.toFixed(2)} times its BSON size (target: at most ${mostMemory})`;
  const documents = `${durable.documents.toLocaleString('en')} documents with a folder`;
  const millions = durable.documents / 1_000_000;
  return [
    ...rateFindings(measurement),
    ...scaleFinding(measurement),
    { title: 'memory of a small stored document', met: memoryRatio <= mostMemory, text: memory },
    timeFinding('start of a standalone', starts.standalone, mostStandalone),
    timeFinding('start of a replica set of three members', starts.threeMembers, mostThreeMembers),
    timeFinding(`loading ${documents}`, durable.loading, mostLoading * millions),
    timeFinding(
      `reopening ${documents}`,
      durable.reopening,
      mostProcessStart + (mostReopening - mostProcessStart) * millions,
    ),
    timeFinding('longest pause of commands during a checkpoint', durable.pause, mostPause),
  ];
};
