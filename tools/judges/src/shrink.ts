/**
 * Returns the smallest failing value found. While a smaller value fails as well, it replaces the value.
 * @param smaller yields values with parts left out, the smallest first
 * @param attempts the maximum number of values to try
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
