import type { CharTest } from './syntax.js';

/** A condition of `(?(condition)yes|no)`. */
export type Condition =
  | { readonly is: 'group'; readonly numbers: readonly number[] }
  /** Whether a recursion is active: of any group, if there are no numbers. */
  | { readonly is: 'recursion'; readonly numbers: readonly number[] | undefined }
  | { readonly is: 'look'; readonly look: PcreNode }
  | { readonly is: 'never' };

/** A verb that prevents backtracking. A failure after it ends more than the attempt before it. */
export type Cut = 'commit' | 'prune' | 'skip' | 'then';

/** The syntax tree of a PCRE pattern. */
export type PcreNode =
  | { readonly is: 'char'; readonly test: CharTest }
  /** The start or the end of the text or of a line, the place before a final newline, or the start of the search. */
  | { readonly is: 'start' | 'end' | 'line start' | 'line end' | 'final newline' | 'search start' }
  | { readonly is: 'boundary'; readonly negated: boolean; readonly word: CharTest }
  | { readonly is: 'sequence'; readonly of: readonly PcreNode[] }
  | { readonly is: 'choice'; readonly of: readonly PcreNode[] }
  | { readonly is: 'capture'; readonly number: number; readonly of: PcreNode }
  | { readonly is: 'atomic'; readonly of: PcreNode }
  | { readonly is: 'look'; readonly behind: boolean; readonly negated: boolean; readonly of: PcreNode }
  /** The text of the first of the groups that is set. */
  | { readonly is: 'reference'; readonly numbers: readonly number[]; readonly fold: boolean }
  /** The pattern of a group, or the whole pattern for 0. */
  | { readonly is: 'call'; readonly number: number }
  | { readonly is: 'condition'; readonly if: Condition; readonly yes: PcreNode; readonly no: PcreNode }
  | {
      readonly is: 'repeat';
      readonly least: number;
      readonly most: number;
      readonly lazy: boolean;
      readonly of: PcreNode;
    }
  /** `\K`: the match begins here. */
  | { readonly is: 'keep' }
  /** `\X`: an extended grapheme cluster. */
  | { readonly is: 'grapheme' }
  | { readonly is: 'accept' }
  | { readonly is: 'fail' }
  | { readonly is: 'cut'; readonly cut: Cut };

export interface PcrePattern {
  readonly root: PcreNode;
  /** The number of capturing groups. */
  readonly groupCount: number;
  /** The nodes of the groups by number. */
  readonly groups: ReadonlyMap<number, PcreNode>;
  /** Whether the pattern has verbs that prevent backtracking. */
  readonly cuts: boolean;
}
