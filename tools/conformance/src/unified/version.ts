/** The latest supported version of the format. */
const supported = '1.29';

const parts = (version: string): readonly number[] => version.split(/[.-]/, 3).map(Number);

/**
 * Compares two versions: returns a negative number, zero or a positive number. Missing parts are zero. Rule: "Version
 * String".
 */
export const compareVersions = (one: string, other: string): number => {
  const [a, b] = [parts(one), parts(other)];
  for (let index = 0; index < 3; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** Checks a file's `schemaVersion`. @throws Error if the version is not supported. Rule: "Test Runner Support". */
export const checkSchemaVersion = (version: string): void => {
  const sameMajor = version.split('.')[0] === supported.split('.')[0];
  const [major = 0, minor = 0] = parts(version);
  if (!sameMajor || compareVersions(`${major}.${minor}`, supported) > 0)
    throw new Error(`Schema version ${version} is not supported; the supported versions are 1.0 to ${supported}.`);
};
