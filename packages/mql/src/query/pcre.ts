import type { Sets } from './pcre-class.js';
import { translateClass } from './pcre-class.js';
import {
  classEscapes,
  escapeChar,
  readCodePoint,
  readProperty,
  unicodeAssertions,
  unicodeEscapes,
} from './pcre-escapes.js';
import type { PatternReader } from './pcre-reader.js';
import { createReader } from './pcre-reader.js';

interface Modes {
  multiline: boolean;
  dotAll: boolean;
  extended: boolean;
}

interface OpenGroup {
  /** The offset of the group in the output, which a quantifier after the group repeats. */
  readonly start: number;
  readonly close: string;
  /** The modes to restore at the group's end: inline flags are valid until then. */
  readonly modes: Modes;
}

// The flag m is never set, so these match the ends of the subject. An empty lookbehind would also match between the
// halves of a surrogate pair.
const subjectStart = '^';
const subjectEnd = '$';
const beforeFinalNewline = '(?=\\n?$)';
const lineStart = '(?:^|(?<=\\n)(?=[\\s\\S]))';
const lineEnd = '(?=\\n|$)';

const assertions: Readonly<Record<string, string>> = {
  A: subjectStart,
  z: subjectEnd,
  Z: beforeFinalNewline,
  b: '\\b',
  B: '\\B',
};

/** Counts the capturing groups of a pattern. Text in classes can make the count too large, never too small. */
const countGroups = (pattern: string): number => pattern.match(/\((?!\?)|\(\?(?:P?<(?![=!])|')/g)?.length ?? 0;

/**
 * Translates a pattern. All groups get generated names, so that groups which emulate atomic groups do not change the
 * numbers of the others.
 */
const createTranslation = (reader: PatternReader, modes: Modes, groupCount: number, sets: Sets) => {
  let output = '';
  /** Whether `(*ACCEPT)` occurred in this alternative. The rest of the alternative never decides about the match. */
  let accepted = false;
  /** The offset of the last atom in the output, if it can be repeated. */
  let atom: number | undefined;
  let groups = 0;
  let atomics = 0;
  let isExact = true;
  let isExactInGroups = true;
  const names = new Map<string, number>();
  const open: OpenGroup[] = [];

  const emit = (text: string): void => {
    atom = output.length;
    output += text;
  };
  const assert = (text: string): void => {
    output += text;
    atom = undefined;
  };

  const openGroup = (opening: string, close: string): void => {
    open.push({ start: output.length, close, modes: { ...modes } });
    output += opening;
    atom = undefined;
  };
  const openCapture = (name?: string): void => {
    groups += 1;
    if (name !== undefined) names.set(name, groups);
    openGroup(`(?<g${groups}>`, ')');
  };
  const openAtomic = (): void => {
    atomics += 1;
    openGroup(`(?:(?=(?<a${atomics}>`, `))\\k<a${atomics}>)`);
  };
  const closeGroup = (): void => {
    const group = open.pop();
    if (group === undefined) throw new Error('unmatched closing parenthesis');
    output += group.close;
    atom = group.start;
    Object.assign(modes, group.modes);
  };

  const refer = (to: number): void => {
    isExact = false;
    if (to < 1 || to > groupCount) throw new Error('reference to non-existent subpattern');
    emit(`(?:\\k<g${to}>)`);
  };
  const referByName = (name: string): void => {
    const number = names.get(name);
    if (number === undefined) throw new Error('reference to non-existent subpattern');
    refer(number);
  };

  const setFlags = (flags: string, on: boolean): void => {
    for (const flag of flags) {
      if (flag === 'm') modes.multiline = on;
      else if (flag === 's') modes.dotAll = on;
      else if (flag === 'x') modes.extended = on;
      else throw new Error('case-insensitivity for a part of the pattern is not supported by this server');
    }
  };

  /** Reads `(?ims-x)` or `(?ims-x:`, after the question mark. */
  const inlineFlags = (): boolean => {
    const match = reader.match(/^([imsx]*)(?:-([imsx]*))?([:)])/);
    if (match === undefined) return false;
    if (match[3] === ':') openGroup('(?:', ')');
    setFlags(match[1]!, true);
    setFlags(match[2] ?? '', false);
    return true;
  };

  /** Reads `(*FAIL)` and `(*ACCEPT)`, after the parenthesis. */
  const verb = (): void => {
    if (reader.match(/^\*(?:FAIL|F)\)/) !== undefined) return assert('(?!)');
    if (open.length > 0 || reader.match(/^\*ACCEPT\)/) === undefined)
      throw new Error('verbs like (*SKIP) are only supported at the start of a pattern by this server');
    if (!accepted) assert('(?:');
    accepted = true;
  };
  const endAlternative = (): void => {
    if (accepted && open.length === 0) {
      output += ')??';
      accepted = false;
    }
  };

  const group = (): void => {
    if (reader.peek() === '*') return verb();
    if (!reader.take('?')) return openCapture();
    const look = reader.match(/^(?:[:=!]|<[=!])/);
    if (look !== undefined) return openGroup(`(?${look[0]}`, ')');
    if (reader.take('>')) return openAtomic();
    if (reader.match(/^#[^)]*\)/) !== undefined) return;
    const named = reader.match(/^(?:P?<(\w+)>|'(\w+)')/);
    if (named !== undefined) return openCapture(named[1] ?? named[2]);
    const back = reader.match(/^P=(\w+)\)/);
    if (back !== undefined) return referByName(back[1]!);
    if (!inlineFlags()) throw new Error(`groups that begin with (?${reader.peek()} are not supported by this server`);
  };

  /** Writes a quantifier and its suffix. A possessive quantifier becomes an atomic group. */
  const quantify = (quantifier: string): void => {
    if (atom === undefined) throw new Error('quantifier does not follow a repeatable item');
    isExactInGroups &&= !output.includes('(?<g', atom + 1);
    if (reader.take('?')) output += `${quantifier}?`;
    else if (reader.take('+')) {
      atomics += 1;
      const repeated = output.slice(atom) + quantifier;
      output = `${output.slice(0, atom)}(?:(?=(?<a${atomics}>${repeated}))\\k<a${atomics}>)`;
      return;
    } else output += quantifier;
    atom = undefined;
  };

  const quoted = (): void => {
    const text = reader.until('\\E');
    for (const char of text) emit(escapeChar(char));
  };

  const backReference = (digits: string): boolean => {
    const number = Number(digits);
    if (digits.startsWith('0') || (number > 9 && number > groupCount)) return false;
    refer(number);
    return true;
  };

  const groupReference = (): void => {
    const match = reader.match(/^(?:\{(-?\d+)\}|(-?\d+)|[{<'](\w+)[}>'])/);
    if (match === undefined) throw new Error('a numbered reference must not be zero');
    const number = match[1] ?? match[2];
    if (number === undefined) return referByName(match[3]!);
    const value = Number(number);
    refer(value < 0 ? groups + 1 + value : value);
  };

  const escape = (): void => {
    const letter = reader.next();
    if (letter === undefined) throw new Error('\\ at end of pattern');
    const assertion = (sets.unicode ? unicodeAssertions[letter] : undefined) ?? assertions[letter];
    if (assertion !== undefined) return assert(assertion);
    const set = sets.escapes[letter];
    if (set !== undefined) return emit(set);
    switch (letter) {
      case 'Q':
        return quoted();
      case 'E':
        return;
      case 'R':
        atomics += 1;
        return emit(`(?:(?=(?<a${atomics}>\\r\\n|[\\n\\v\\f\\r\\x85\\u2028\\u2029]))\\k<a${atomics}>)`);
      case 'N':
        if (reader.peek() === '{') throw new Error('\\N{ is not translated');
        return emit('[^\\n]');
      case 'p':
      case 'P':
        return emit(readProperty(reader, letter));
      case 'k':
      case 'g':
        return groupReference();
      case 'K':
      case 'G':
      case 'X':
      case 'C':
        throw new Error(`\\${letter} is not supported by this server`);
    }
    if (/[1-9]/.test(letter)) {
      const digits = letter + (reader.match(/^\d{1,2}/)?.[0] ?? '');
      if (backReference(digits)) return;
      reader.back(digits.length - 1);
    }
    emit(readCodePoint(reader, letter));
  };

  const space = (char: string): boolean => {
    if (!modes.extended) return false;
    if (char === '#') reader.match(/^[^\n]*\n?/);
    return char === '#' || /\s/.test(char);
  };

  const brace = (): void => {
    const match = reader.match(/^(?:\d+(?:,\d*)?)\}/);
    if (match?.[0].match(/\d+/g)!.some(number => Number(number) > 65_535) === true)
      throw new Error('number too big in {} quantifier');
    if (match === undefined) emit('\\{');
    else quantify(`{${match[0]}`);
  };

  const step = (char: string): void => {
    if (space(char)) return;
    switch (char) {
      case '\\':
        return escape();
      case '[':
        return emit(translateClass(reader, sets));
      case '(':
        return group();
      case ')':
        return closeGroup();
      case '.':
        return emit(modes.dotAll ? '[\\s\\S]' : '[^\\n]');
      case '^':
        return assert(modes.multiline ? lineStart : subjectStart);
      case '$':
        return assert(modes.multiline ? lineEnd : beforeFinalNewline);
      case '|':
        endAlternative();
        return assert('|');
      case '*':
      case '+':
      case '?':
        return quantify(char);
      case '{':
        return brace();
      default:
        return emit(escapeChar(char));
    }
  };

  return {
    run(): Omit<Translated, 'flags'> {
      for (let char = reader.next(); char !== undefined; char = reader.next()) step(char);
      if (open.length > 0) throw new Error('missing closing parenthesis');
      endAlternative();
      return { source: output, isExact, isExactInGroups };
    },
  };
};

/** A translated pattern. */
export interface Translated {
  readonly source: string;
  readonly flags: string;
  /** False if the pattern refers to a group: PCRE fails if the group is not set, and JavaScript does not. */
  readonly isExact: boolean;
  /** False if groups are repeated together: PCRE keeps their text of earlier iterations, and JavaScript does not. */
  readonly isExactInGroups: boolean;
}

/** Verbs that do not influence whether a pattern matches if they precede it. */
const leadingVerbs = /^\(\*(?:UTF8?|UCP|COMMIT|(?:PRUNE|SKIP|THEN)(?::[^)]*)?)\)/;

/**
 * Translates a PCRE pattern to a JavaScript pattern with the flag `v`. `^`, `$`, `.` and `\s` are written out, because
 * JavaScript defines line ends and spaces differently.
 * @throws Error with a message that says what is malformed or unsupported
 */
export const translatePattern = (pattern: string, options: string): Translated => {
  let rest = pattern;
  let unicode = false;
  for (let verb = leadingVerbs.exec(rest); verb !== null; verb = leadingVerbs.exec(rest)) {
    unicode ||= verb[0] === '(*UCP)';
    rest = rest.slice(verb[0].length);
  }
  const leading = /^\(\?([imsx]+)\)/.exec(rest);
  const flags = options + (leading?.[1] ?? '');
  const reader = createReader(leading === null ? rest : rest.slice(leading[0].length));
  const modes: Modes = {
    multiline: flags.includes('m'),
    dotAll: flags.includes('s'),
    extended: flags.includes('x'),
  };
  const sets: Sets = { escapes: unicode ? unicodeEscapes : classEscapes, unicode };
  const translated = createTranslation(reader, modes, countGroups(rest), sets).run();
  return { ...translated, flags: flags.includes('i') ? 'iv' : 'v' };
};
