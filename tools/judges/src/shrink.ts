/**
 * Returns the smallest failing value found: as long as one of the smaller values fails too, it takes the place of the value.
 * @param smaller values with something left out, the boldest first
 * @param attempts how many values are tried at most
 */
export const shrink = async <T>(
  start: T,
  smaller: (value: T) => Iterable<T>,
  fails: (value: T) => Promise<boolean>,
  attempts: number,
): Promise<T> => {
  let smallest = start;
  let left = attempts;
  for (let found = true; found;) {
    found = false;
    for (const candidate of smaller(smallest)) {
      if (left-- <= 0) return smallest;
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      found = true;
      break;
    }
  }
  return smallest;
};
