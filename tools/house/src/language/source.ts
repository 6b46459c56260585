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

const withoutMarks = (comment: string): string =>
  comment
    .replace(/^\/\*+|\*+\/$|^\/\/+/g, '')
    .replace(/^\s*\* ?/gm, '')
    .replace(/```[\s\S]*?```/g, '')
    .replace(/^\s*@(?:typedef|import|param\s+\{|returns\s+\{|type)\b.*$/gm, '')
    .replace(/(?:^|\s)@(?:throws|param|returns|example|typeParam|see|internal|deprecated|experimental)\b/g, '\n\n');

/** Returns whether a comment is an instruction to a program, such as `eslint-disable` or `@ts-expect-error`. */
const isDirective = (comment: string): boolean =>
  /^\/[/*]+\s*(?:eslint|@ts-|@vitest|prettier|c8|v8|#region|Stryker)/.test(comment);

/** Returns the kind of a string literal by the tokens before it: a title, an error message, or undefined for any other string. */
function placeOf(before: readonly string[]): Place | undefined {
  const call = before.join(' ');
  if (/(?:^| )(?:test|it|describe)(?: \. \w+)* \($/.test(call)) return 'title';
  if (call.endsWith(' ) (')) return 'title';
  if (/new \w*Error \((?: '\w+' ,)?$/.test(call)) return 'error';
  return undefined;
}

/** Returns the comments, titles and messages of a TypeScript or JavaScript file. */
export function passagesOfSource(source: string): readonly Passage[] {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, source);
  let line = 1;
  let counted = 0;
  const lineAt = (position: number): number => {
    for (; counted < position; counted++) if (source[counted] === '\n') line++;
    return line;
  };
  const passages: Passage[] = [];
  const before: string[] = [];
  /** For each open brace, whether it belongs to a template. */
  const braces: boolean[] = [];
  let previous: ts.SyntaxKind = kinds.Unknown;
  const template: { place: Place | undefined; line: number; text: string }[] = [];
  const add = (place: Place | undefined, line: number, text: string): void => {
    // The first argument of an error may be its kind, and other short texts are names.
    if (place === 'title' || text.split(' ').length > 3)
      passages.push({ place: place === 'error' && text.endsWith(' ') ? 'message' : (place ?? 'message'), line, text });
  };
  let comments: { line: number; end: number; text: string } | undefined;
  const endComment = (): void => {
    if (comments !== undefined) passages.push({ place: 'comment', line: comments.line, text: comments.text });
    comments = undefined;
  };
  for (let token = scanner.scan(); token !== kinds.EndOfFileToken; token = scanner.scan()) {
    const start = lineAt(scanner.getTokenStart());
    if (token === kinds.SingleLineCommentTrivia || token === kinds.MultiLineCommentTrivia) {
      const comment = scanner.getTokenText();
      if (isDirective(comment)) continue;
      const text = withoutMarks(comment);
      // Line comments under each other are one text.
      if (token === kinds.SingleLineCommentTrivia && comments?.end === start - 1) {
        comments.text += `\n${text}`;
        comments.end = start;
        continue;
      }
      endComment();
      comments = { line: start, end: token === kinds.SingleLineCommentTrivia ? start : -1, text };
      continue;
    }
    if (token === kinds.WhitespaceTrivia || token === kinds.NewLineTrivia) continue;
    endComment();
    if (token === kinds.SlashToken || token === kinds.SlashEqualsToken) {
      if (!endsValue.has(previous)) token = scanner.reScanSlashToken();
    } else if (token === kinds.OpenBraceToken) braces.push(false);
    else if (token === kinds.CloseBraceToken && braces.pop() === true) token = scanner.reScanTemplateToken(false);
    if (token === kinds.TemplateHead) {
      braces.push(true);
      template.push({ place: placeOf(before), line: start, text: `${scanner.getTokenValue()}X` });
    } else if (token === kinds.TemplateMiddle) {
      braces.push(true);
      const open = template.at(-1);
      if (open !== undefined) open.text += `${scanner.getTokenValue()}X`;
    } else if (token === kinds.TemplateTail) {
      const whole = template.pop();
      if (whole !== undefined) add(whole.place, whole.line, whole.text + scanner.getTokenValue());
    } else if (token === kinds.StringLiteral || token === kinds.NoSubstitutionTemplateLiteral) {
      add(placeOf(before), start, scanner.getTokenValue());
    }
    before.push(scanner.getTokenText());
    if (before.length > 6) before.shift();
    previous = token;
  }
  endComment();
  return passages;
}
