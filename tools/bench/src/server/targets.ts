import type { Measurement } from './measure.js';

/** Whether a figure meets its target. */
export interface Finding {
  readonly title: string;
  readonly met: boolean;
  /** The figure and its target. */
  readonly text: string;
}

/** The minimum ratio of the embedded server's rate to another server's, by a prefix of the row's title. */
const rates: readonly (readonly [row: string, other: string, least: number])[] = [
  ['findOne by _id, 16 in flight', 'mongo-java-server', 3],
  ['findOne by _id, 16 in flight', 'secantusdb', 10],
  ['insertMany', 'mongo-java-server', 3],
];

const mostMemory = 4;

const mostReady = 150;

/**
 * The maximum ratio of the CPU time in the large collection to the small one. It allows for a deeper tree and more
 * cache misses.
 */
const mostScale = 1.25;

const rateFindings = ({ rows }: Measurement): readonly Finding[] =>
  rates.flatMap(([row, other, least]) => {
    const measured = rows.find(({ title }) => title.startsWith(row));
    const theirs = measured?.figures.find(({ subject }) => subject === other);
    if (measured === undefined || theirs === undefined) return [];
    const ratio = measured.figures[0]!.operationsPerSecond / theirs.operationsPerSecond;
    const text = `${ratio.toFixed(2)} times the rate of ${other} (target: at least ${least})`;
    return [{ title: `${measured.title}, compared with ${other}`, met: ratio >= least, text }];
  });

/** Compares the CPU time of the server, because the client's time would hide a difference. */
const scaleFinding = ({ rows }: Measurement): readonly Finding[] => {
  const own = rows.filter(({ title, figures }) => title.startsWith('find of 10') && figures.length === 1);
  const [few, many] = own;
  if (few === undefined || many === undefined) return [];
  const ratio = many.figures[0]!.cpuMicrosPerOperation / few.figures[0]!.cpuMicrosPerOperation;
  const text = `${ratio.toFixed(2)} times the CPU time of the small collection (target: at most ${mostScale})`;
  return [{ title: many.title, met: ratio <= mostScale, text }];
};

export const findingsOf = (measurement: Measurement): readonly Finding[] => {
  const { memoryRatio, readyMilliseconds } = measurement;
  const memory = `${memoryRatio.toFixed(2)} times its BSON size (target: below ${mostMemory})`;
  return [
    ...rateFindings(measurement),
    ...scaleFinding(measurement),
    { title: 'memory of a small stored document', met: memoryRatio < mostMemory, text: memory },
    {
      title: 'start of a replica set of three members',
      met: readyMilliseconds < mostReady,
      text: `${readyMilliseconds.toFixed(0)} ms (target: below ${mostReady})`,
    },
  ];
};
