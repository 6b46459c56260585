/** How much of a text is quoted, before and behind the place. */
const [before, behind] = [20, 60];

const quote = (text: string, at: number): string => text.slice(Math.max(0, at - before), at + behind);

/** Where two texts part, with what each says there. */
export const difference = (ours: string, theirs: string): string => {
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  return `from character ${at} on ours is «${quote(ours, at)}», the official «${quote(theirs, at)}»`;
};
