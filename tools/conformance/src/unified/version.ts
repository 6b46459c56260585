/** The newest version of the format that is understood here. */
const supported = '1.29';

const parts = (version: string): readonly number[] => version.split(/[.-]/, 3).map(Number);

/** Negative, zero or positive; a part that is left out is zero. Rule: "Version String". */
export const compareVersions = (one: string, other: string): number => {
  const [a, b] = [parts(one), parts(other)];
  for (let index = 0; index < 3; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** @throws Error if files of this version cannot be run. Rule: "Test Runner Support". */
export const checkSchemaVersion = (version: string): void => {
  const sameMajor = version.split('.')[0] === supported.split('.')[0];
  const [major = 0, minor = 0] = parts(version);
  if (!sameMajor || compareVersions(`${major}.${minor}`, supported) > 0)
    throw new Error(`the file is written in version ${version} of the format; versions 1.0 to ${supported} can be run`);
};
