import ts from 'typescript';
import type { Place } from './rules.js';

/** A text for readers, and the line on which it begins. */
export interface Passage {
  readonly place: Place;
  readonly line: number;
  readonly text: string;
}

const kinds = ts.SyntaxKind;

/** After one of these tokens a slash divides; after any other it begins a regular expression. */
const endsValue: ReadonlySet<ts.SyntaxKind> = new Set([
  kinds.Identifier,
  kinds.PrivateIdentifier,
  kinds.NumericLiteral,
  kinds.BigIntLiteral,
  kinds.StringLiteral,
  kinds.NoSubstitutionTemplateLiteral,
  kinds.TemplateTail,
  kinds.RegularExpressionLiteral,
  kinds.CloseParenToken,
  kinds.CloseBracketToken,
  kinds.CloseBraceToken,
  kinds.ThisKeyword,
]);

const isComment = (kind: ts.SyntaxKind): boolean =>
  kind === kinds.SingleLineCommentTrivia || kind === kinds.MultiLineCommentTrivia;

const withoutMarks = (comment: string): string =>
  comment
    .replace(/^\/\*+|\*+\/$|^\/\/+/g, '')
    .replace(/^\s*\* ?/gm, '')
    .replace(/```[\s\S]*?```/g, '')
    .replace(/^\s*@(?:typedef|import|param\s+\{|returns\s+\{|type)\b.*$/gm, '')
    .replace(/(?:^|\s)@(?:throws|param|returns|example|typeParam|see|internal|deprecated|experimental)\b/g, '\n\n');

/** Returns whether a comment is an instruction to a program, such as `eslint-disable` or `@ts-expect-error`. */
const isDirective = (comment: string): boolean =>
  /^\/[/*]+\s*(?:eslint|oxlint|@ts-|@vitest|prettier|oxfmt|c8|v8|#region|Stryker)/.test(comment);

/** Returns the kind of a string literal by the tokens before it: a title, an error message, or undefined for any other string. */
function placeOf(before: readonly string[]): Place | undefined {
  const call = before.join(' ');
  if (/(?:^| )(?:test|it|describe)(?: \. \w+)* \($/.test(call)) return 'title';
  if (call.endsWith(' ) (')) return 'title';
  if (/new \w*Error \((?: '\w+' ,)?$/.test(call)) return 'error';
  return undefined;
}

interface Token {
  readonly kind: ts.SyntaxKind;
  /** The source of the token. */
  readonly source: string;
  /** The value of a string or of a piece of a template. */
  readonly value: string;
  readonly line: number;
}

/** Yields the tokens and comments of a source. The scanner alone does not recognize regular expressions and templates. */
function* tokensOf(source: string): Generator<Token> {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, source);
  /** For each open brace, whether it belongs to a template. */
  const braces: boolean[] = [];
  let previous = kinds.Unknown;
  let line = 1;
  let counted = 0;
  for (let kind = scanner.scan(); kind !== kinds.EndOfFileToken; kind = scanner.scan()) {
    for (; counted < scanner.getTokenStart(); counted++) if (source[counted] === '\n') line++;
    if (kind === kinds.WhitespaceTrivia || kind === kinds.NewLineTrivia) continue;
    if (kind === kinds.SlashToken || kind === kinds.SlashEqualsToken) {
      if (!endsValue.has(previous)) kind = scanner.reScanSlashToken();
    } else if (kind === kinds.CloseBraceToken && braces.pop() === true) kind = scanner.reScanTemplateToken(false);
    if (kind === kinds.OpenBraceToken) braces.push(false);
    if (kind === kinds.TemplateHead || kind === kinds.TemplateMiddle) braces.push(true);
    yield { kind, source: scanner.getTokenText(), value: scanner.getTokenValue(), line };
    if (!isComment(kind)) previous = kind;
  }
}

/** Returns the comments of a source. Line comments under each other are one comment. */
function commentsOf(tokens: readonly Token[]): readonly Passage[] {
  const comments: { line: number; end: number; text: string }[] = [];
  let isLast = false;
  for (const { kind, source, line } of tokens) {
    if (isComment(kind) && isDirective(source)) continue;
    const last = isLast ? comments.at(-1) : undefined;
    isLast = isComment(kind);
    if (!isLast) continue;
    const text = withoutMarks(source);
    if (kind === kinds.SingleLineCommentTrivia && last?.end === line - 1) {
      last.text += `\n${text}`;
      last.end = line;
    } else comments.push({ line, end: kind === kinds.SingleLineCommentTrivia ? line : -1, text });
  }
  return comments.map(({ line, text }) => ({ place: 'comment', line, text }));
}

/** Returns the titles and messages of a source. `X` replaces each value in a template. */
function stringsOf(tokens: readonly Token[]): readonly Passage[] {
  const strings: Passage[] = [];
  const before: string[] = [];
  /** The templates that have begun. */
  const open: { place: Place | undefined; line: number; text: string }[] = [];
  const add = (place: Place | undefined, line: number, text: string): void => {
    // The first argument of an error may be its kind, and other short texts are names.
    if (place !== 'title' && text.split(' ').length <= 3) return;
    const isPart = place === 'error' && text.endsWith(' ');
    strings.push({ place: place === undefined || isPart ? 'message' : place, line, text });
  };
  for (const { kind, source, value, line } of tokens.filter(token => !isComment(token.kind))) {
    if (kind === kinds.StringLiteral || kind === kinds.NoSubstitutionTemplateLiteral) add(placeOf(before), line, value);
    else if (kind === kinds.TemplateHead) open.push({ place: placeOf(before), line, text: `${value}X` });
    else if (kind === kinds.TemplateMiddle) open.at(-1)!.text += `${value}X`;
    else if (kind === kinds.TemplateTail) {
      const template = open.pop()!;
      add(template.place, template.line, template.text + value);
    }
    before.push(source);
    if (before.length > 6) before.shift();
  }
  return strings;
}

/** Returns the comments, titles and messages of a TypeScript or JavaScript file, in order of line. */
export function passagesOfSource(source: string): readonly Passage[] {
  const tokens = [...tokensOf(source)];
  return [...commentsOf(tokens), ...stringsOf(tokens)].sort((a, b) => a.line - b.line);
}
