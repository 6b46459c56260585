/** A MongoDB version, for example `8.2.1`. */
export interface Version {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/**
 * Parses `8.2.1`, or `8.2` as 8.2.0.
 * @throws RangeError for another form, or for a version outside 4.2 to 8.2
 */
export const parseVersion = (text: string): Version => {
  const match = /^(\d+)\.(\d+)(?:\.(\d+))?$/.exec(text);
  const [major, minor, patch] =
    match === null ? [0, 0, 0] : [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  const version = { text: `${major}.${minor}.${patch}`, major, minor, patch };
  if (!isAtLeast(version, '4.2') || isAtLeast(version, '8.3')) {
    throw new RangeError(`The version "${text}" is not supported. Give a version from 4.2.0 to 8.2.x.`);
  }
  return version;
};

/** The version that introduced a feature: `5.0`, or `4.4.14` for a feature of a patch release. */
export type Since = `${number}.${number}` | `${number}.${number}.${number}`;

const rankOf = (major: number, minor: number, patch: number): number => (major * 1_000 + minor) * 1_000 + patch;

/** A cache, because every command compares versions. */
const ranks = new Map<Since, number>();

const rankOfSince = (since: Since): number => {
  const known = ranks.get(since);
  if (known !== undefined) return known;
  const [major, minor, patch = 0] = since.split('.').map(Number) as [number, number, number?];
  const rank = rankOf(major, minor, patch);
  ranks.set(since, rank);
  return rank;
};

export const isAtLeast = ({ major, minor, patch }: Version, since: Since): boolean =>
  rankOf(major, minor, patch) >= rankOfSince(since);

const wireVersions: readonly (readonly [Since, number])[] = [
  ['8.2', 27],
  ['8.1', 26],
  ['8.0', 25],
  ['7.3', 24],
  ['7.2', 23],
  ['7.1', 22],
  ['7.0', 21],
  ['6.3', 20],
  ['6.2', 19],
  ['6.1', 18],
  ['6.0', 17],
  ['5.3', 16],
  ['5.2', 15],
  ['5.1', 14],
  ['5.0', 13],
  ['4.4', 9],
  ['4.2', 8],
];

/** Returns the `maxWireVersion` of the version's hello reply. */
export const wireVersionOf = (version: Version): number =>
  wireVersions.find(([since]) => isAtLeast(version, since))?.[1] ?? 8;
