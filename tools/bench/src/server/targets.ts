import type { Measurement } from './measure.js';

/** What was asked of a figure, and whether it is so. */
export interface Finding {
  readonly title: string;
  readonly met: boolean;
  /** The figure beside its target. */
  readonly said: string;
}

/** At how many times another server's rate, by the beginning of the row's title. */
const rates: readonly (readonly [row: string, other: string, least: number])[] = [
  ['findOne by _id, 16 in flight', 'mongo-java-server', 3],
  ['findOne by _id, 16 in flight', 'secantusdb', 10],
  ['insertMany', 'mongo-java-server', 3],
];

const mostMemory = 4;

const mostReady = 150;

/** The same but for noise: what a tree is deeper by, and a cache holds less of. */
const mostScale = 1.25;

const rateFindings = ({ rows }: Measurement): readonly Finding[] =>
  rates.flatMap(([row, other, least]) => {
    const measured = rows.find(({ title }) => title.startsWith(row));
    const theirs = measured?.figures.find(({ subject }) => subject === other);
    if (measured === undefined || theirs === undefined) return [];
    const ratio = measured.figures[0]!.operationsPerSecond / theirs.operationsPerSecond;
    const said = `${ratio.toFixed(2)} times the rate of ${other}, of at least ${least}`;
    return [{ title: `${measured.title}, beside ${other}`, met: ratio >= least, said }];
  });

/** By CPU time of the server: the client's share of the time would hide a difference. */
const scaleFinding = ({ rows }: Measurement): readonly Finding[] => {
  const own = rows.filter(({ title, figures }) => title.startsWith('find of 10') && figures.length === 1);
  const [few, many] = own;
  if (few === undefined || many === undefined) return [];
  const ratio = many.figures[0]!.cpuMicrosPerOperation / few.figures[0]!.cpuMicrosPerOperation;
  const said = `${ratio.toFixed(2)} times the CPU time of the small collection, of at most ${mostScale}`;
  return [{ title: many.title, met: ratio <= mostScale, said }];
};

export const findingsOf = (measurement: Measurement): readonly Finding[] => {
  const { memoryRatio, readyMilliseconds } = measurement;
  const memory = `${memoryRatio.toFixed(2)} times its BSON, of at most ${mostMemory}`;
  return [
    ...rateFindings(measurement),
    ...scaleFinding(measurement),
    { title: 'memory of a small stored document', met: memoryRatio < mostMemory, said: memory },
    {
      title: 'three members are ready',
      met: readyMilliseconds < mostReady,
      said: `in ${readyMilliseconds.toFixed(0)} ms, of at most ${mostReady}`,
    },
  ];
};
