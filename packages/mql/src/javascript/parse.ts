import { unsupported } from './failure.js';
import type {
  BinaryOperator,
  Declaration,
  DeclareNode,
  Expression,
  FunctionNode,
  LogicalOperator,
  Statement,
  Target,
  UnaryOperator,
} from './syntax.js';
import type { Token } from './token.js';
import { placeOf, syntaxError, tokensOf } from './token.js';

/** The maximum nesting depth of a script. */
const deepest = 150;

/** The precedence of operators. Only `**` is right-associative. */
const precedence: ReadonlyMap<string, number> = new Map([
  ['??', 1],
  ['||', 2],
  ['&&', 3],
  ...['==', '!=', '===', '!=='].map(mark => [mark, 4] as const),
  ...['<', '<=', '>', '>='].map(mark => [mark, 5] as const),
  ...['+', '-'].map(mark => [mark, 6] as const),
  ...['*', '/', '%'].map(mark => [mark, 7] as const),
  ['**', 8],
]);

const logical: ReadonlySet<string> = new Set<LogicalOperator>(['&&', '||', '??']);
const unary: ReadonlySet<string> = new Set<UnaryOperator>(['!', '-', '+', 'typeof', 'void']);
const assignments: ReadonlySet<string> = new Set([...['=', '+=', '-=', '*=', '/=', '%=', '**=', '&&=', '||=', '??=']]);

/** Keywords of JavaScript that are not supported. */
const foreignWords: ReadonlySet<string> = new Set([
  ...['async', 'await', 'class', 'debugger', 'delete', 'do', 'eval', 'export', 'extends', 'finally', 'import', 'in'],
  ...['instanceof', 'new', 'of', 'super', 'switch', 'throw', 'try', 'catch', 'with', 'yield', 'arguments'],
]);

const foreignMarks: ReadonlySet<string> = new Set([
  ...['...', '&', '|', '^', '~', '<<', '>>', '>>>', '&=', '|=', '^=', '<<=', '>>=', '>>>=', '?.', '/', '/='],
]);

const reserved: ReadonlySet<string> = new Set([
  ...['break', 'case', 'const', 'continue', 'default', 'else', 'enum', 'false', 'for', 'function', 'if', 'let'],
  ...['null', 'return', 'this', 'true', 'typeof', 'var', 'void', 'while'],
]);

const constants: ReadonlyMap<string, Expression> = new Map<string, Expression>([
  ['true', { kind: 'literal', value: true }],
  ['false', { kind: 'literal', value: false }],
  ['null', { kind: 'literal', value: null }],
  ['this', { kind: 'this' }],
]);

class Parser {
  readonly #code: string;
  readonly #tokens: readonly Token[];
  /** The token indexes of closing parentheses, by those of the opening ones. */
  readonly #closing: ReadonlyMap<number, number>;
  #at = 0;
  #depth = 0;

  constructor(code: string) {
    this.#code = code;
    this.#tokens = tokensOf(code);
    this.#closing = closingOf(this.#tokens);
  }

  program(): readonly Statement[] {
    const statements: Statement[] = [];
    while (this.#token.kind !== 'end') statements.push(...this.#statement());
    return statements;
  }

  get #token(): Token {
    return this.#tokens[this.#at]!;
  }

  /** Returns whether the token is the mark or word. */
  #is(text: string): boolean {
    const { kind, text: found } = this.#token;
    return found === text && (kind === 'mark' || kind === 'name');
  }

  #take(text: string): boolean {
    const isIt = this.#is(text);
    if (isIt) this.#at += 1;
    return isIt;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw this.#unexpected(`, expected ${text}`);
  }

  #unexpected(more = ''): Error {
    const { kind, text, at } = this.#token;
    const isForeign = kind === 'name' ? foreignWords.has(text) : kind === 'mark' && foreignMarks.has(text);
    if (isForeign) return unsupported(`"${text}" at ${placeOf(this.#code, at)}`);
    return syntaxError(this.#code, at, `unexpected ${kind === 'string' ? 'string' : text}${more}`);
  }

  #deeper<T>(parse: () => T): T {
    if (this.#depth >= deepest) {
      throw syntaxError(this.#code, this.#token.at, `nested more than ${deepest} levels deep`);
    }
    this.#depth += 1;
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }

  #name(): string {
    const { kind, text } = this.#token;
    if (kind !== 'name' || reserved.has(text) || foreignWords.has(text)) throw this.#unexpected();
    this.#at += 1;
    return text;
  }

  /** Skips a semicolon. It may be missing where JavaScript inserts it automatically. */
  #end(): void {
    if (this.#take(';') || this.#is('}') || this.#token.kind === 'end' || this.#token.isFirst) return;
    throw this.#unexpected();
  }

  /** Parses a statement; an empty statement gives none. */
  #statement(): readonly Statement[] {
    if (this.#take(';')) return [];
    return [this.#deeper(() => this.#fullStatement())];
  }

  /** Parses a required statement. */
  #body(): Statement {
    return { kind: 'block', statements: this.#statement() };
  }

  #fullStatement(): Statement {
    const { kind, text } = this.#token;
    if (kind === 'mark' && text === '{') return { kind: 'block', statements: this.#block() };
    if (kind === 'name') {
      const parse = this.#statements[text];
      if (parse !== undefined && Object.hasOwn(this.#statements, text)) {
        this.#at += 1;
        return parse();
      }
    }
    const expression = this.#expression();
    this.#end();
    return { kind: 'expression', expression };
  }

  readonly #statements: Readonly<Record<string, () => Statement>> = {
    function: () => this.#functionStatement(),
    return: () => this.#return(),
    if: () => this.#if(),
    for: () => this.#for(),
    while: () => {
      this.#expect('(');
      const test = this.#expression();
      this.#expect(')');
      return { kind: 'loop', first: undefined, test, next: undefined, body: this.#body() };
    },
    break: () => this.#jump('break'),
    continue: () => this.#jump('continue'),
    const: () => this.#declaration('const'),
    let: () => this.#declaration('let'),
    var: () => this.#declaration('var'),
  };

  /** MongoDB treats `function () {}` as an expression, even where a statement is expected. */
  #functionStatement(): Statement {
    const made = this.#function();
    if (made.name === undefined) {
      this.#take(';');
      return { kind: 'expression', expression: made };
    }
    return { kind: 'declare', how: 'var', declarations: [{ name: made.name, value: made }] };
  }

  #block(): readonly Statement[] {
    this.#expect('{');
    const statements: Statement[] = [];
    while (!this.#take('}')) {
      if (this.#token.kind === 'end') throw this.#unexpected();
      statements.push(...this.#statement());
    }
    return statements;
  }

  #return(): Statement {
    const isBare = this.#token.isFirst || this.#is(';') || this.#is('}') || this.#token.kind === 'end';
    const value = isBare ? undefined : this.#expression();
    this.#end();
    return { kind: 'return', value };
  }

  #jump(kind: 'break' | 'continue'): Statement {
    this.#end();
    return { kind };
  }

  #if(): Statement {
    this.#expect('(');
    const test = this.#expression();
    this.#expect(')');
    const yes = this.#body();
    return { kind: 'if', test, yes, no: this.#take('else') ? this.#body() : undefined };
  }

  #for(): Statement {
    this.#expect('(');
    const first = this.#forFirst();
    this.#expect(';');
    const test = this.#is(';') ? undefined : this.#expression();
    this.#expect(';');
    const next = this.#is(')') ? undefined : this.#expression();
    this.#expect(')');
    return { kind: 'loop', first, test, next, body: this.#body() };
  }

  #forFirst(): Statement | undefined {
    if (this.#is(';')) return undefined;
    for (const how of ['const', 'let', 'var'] as const) if (this.#take(how)) return this.#declarations(how);
    return { kind: 'expression', expression: this.#expression() };
  }

  #declaration(how: DeclareNode['how']): Statement {
    const declared = this.#declarations(how);
    this.#end();
    return declared;
  }

  #declarations(how: DeclareNode['how']): DeclareNode {
    const declarations: Declaration[] = [];
    do {
      if (this.#is('{') || this.#is('[')) {
        throw unsupported(`Destructuring at ${placeOf(this.#code, this.#token.at)}`);
      }
      const name = this.#name();
      declarations.push({ name, value: this.#take('=') ? this.#expression() : undefined });
    } while (this.#take(','));
    return { kind: 'declare', how, declarations };
  }

  #expression(): Expression {
    return this.#deeper(() => this.#assignment());
  }

  #assignment(): Expression {
    if (this.#isArrow()) return this.#arrow();
    const left = this.#conditional();
    const { kind, text } = this.#token;
    if (kind !== 'mark' || !assignments.has(text)) return left;
    const target = this.#target(left);
    this.#at += 1;
    const operator = text === '=' ? undefined : (text.slice(0, -1) as BinaryOperator | LogicalOperator);
    return { kind: 'assign', operator, target, value: this.#expression() };
  }

  #target(expression: Expression): Target {
    if (expression.kind === 'name' || expression.kind === 'member') return expression;
    throw syntaxError(this.#code, this.#token.at, 'invalid assignment left-hand side');
  }

  #isArrow(): boolean {
    if (this.#is('(')) return this.#tokens[(this.#closing.get(this.#at) ?? -2) + 1]?.text === '=>';
    const next = this.#tokens[this.#at + 1];
    return this.#token.kind === 'name' && next?.kind === 'mark' && next.text === '=>';
  }

  #arrow(): FunctionNode {
    const parameters = this.#is('(') ? this.#parameters() : [this.#name()];
    this.#expect('=>');
    const body: readonly Statement[] = this.#is('{') ? this.#block() : [{ kind: 'return', value: this.#expression() }];
    return { kind: 'function', name: undefined, parameters, body, isArrow: true };
  }

  #parameters(): readonly string[] {
    const parameters: string[] = [];
    this.#expect('(');
    while (!this.#take(')')) {
      if (parameters.length > 0) this.#expect(',');
      if (this.#take(')')) break;
      parameters.push(this.#name());
      if (this.#is('=')) throw unsupported(`A default parameter at ${placeOf(this.#code, this.#token.at)}`);
    }
    return parameters;
  }

  /** Parses a function after the keyword `function`. */
  #function(): FunctionNode {
    const name = this.#is('(') ? undefined : this.#name();
    const parameters = this.#parameters();
    return { kind: 'function', name, parameters, body: this.#block(), isArrow: false };
  }

  #conditional(): Expression {
    const test = this.#binary(0);
    if (!this.#take('?')) return test;
    const yes = this.#expression();
    this.#expect(':');
    return { kind: 'conditional', test, yes, no: this.#expression() };
  }

  #binary(least: number): Expression {
    let left = this.#unary();
    for (;;) {
      const { kind, text } = this.#token;
      const tightness = kind === 'mark' ? precedence.get(text) : undefined;
      if (tightness === undefined || tightness <= least) {
        if (kind === 'mark' ? foreignMarks.has(text) && text !== '...' : text === 'in' || text === 'instanceof') {
          throw this.#unexpected();
        }
        return left;
      }
      this.#at += 1;
      const right = this.#deeper(() => this.#binary(text === '**' ? tightness - 1 : tightness));
      left = logical.has(text)
        ? { kind: 'logical', operator: text as LogicalOperator, left, right }
        : { kind: 'binary', operator: text as BinaryOperator, left, right };
    }
  }

  #unary(): Expression {
    const { kind, text } = this.#token;
    if ((kind === 'mark' || kind === 'name') && unary.has(text)) {
      this.#at += 1;
      return { kind: 'unary', operator: text as UnaryOperator, operand: this.#deeper(() => this.#unary()) };
    }
    if (this.#is('++') || this.#is('--')) {
      this.#at += 1;
      const target = this.#target(this.#deeper(() => this.#unary()));
      return { kind: 'increment', by: text === '++' ? 1 : -1, isPrefix: true, target };
    }
    const operand = this.#call();
    if (this.#token.isFirst || !(this.#is('++') || this.#is('--'))) return operand;
    const target = this.#target(operand);
    const by = this.#is('++') ? 1 : -1;
    this.#at += 1;
    return { kind: 'increment', by, isPrefix: false, target };
  }

  #call(): Expression {
    let made = this.#primary();
    for (;;) {
      if (this.#take('.')) {
        const { kind, text } = this.#token;
        if (kind !== 'name') throw this.#unexpected();
        this.#at += 1;
        made = { kind: 'member', object: made, key: { kind: 'literal', value: text } };
      } else if (this.#take('[')) {
        made = { kind: 'member', object: made, key: this.#expression() };
        this.#expect(']');
      } else if (this.#take('(')) {
        made = { kind: 'call', callee: made, given: this.#list(')') };
      } else return made;
    }
  }

  #list(end: string): readonly Expression[] {
    const items: Expression[] = [];
    while (!this.#take(end)) {
      if (items.length > 0) this.#expect(',');
      if (this.#take(end)) break;
      items.push(this.#expression());
    }
    return items;
  }

  #primary(): Expression {
    const { kind, text } = this.#token;
    if (kind === 'end' || (kind === 'mark' && text !== '(' && text !== '[' && text !== '{')) throw this.#unexpected();
    if (kind === 'name') {
      if (this.#take('function')) return this.#function();
      const constant = constants.get(text);
      if (constant === undefined) return { kind: 'name', name: this.#name() };
      this.#at += 1;
      return constant;
    }
    this.#at += 1;
    if (kind === 'number') return { kind: 'literal', value: Number(text) };
    if (kind === 'string') return { kind: 'literal', value: text };
    if (text === '[') return { kind: 'array', items: this.#list(']') };
    if (text === '{') return this.#object();
    const inner = this.#expression();
    this.#expect(')');
    return inner;
  }

  #object(): Expression {
    const entries: (readonly [string, Expression])[] = [];
    while (!this.#take('}')) {
      if (entries.length > 0) this.#expect(',');
      if (this.#take('}')) break;
      entries.push(this.#property());
    }
    return { kind: 'object', entries };
  }

  #property(): readonly [string, Expression] {
    const { kind, text, at } = this.#token;
    if (kind === 'mark' && text === '[') throw unsupported(`A computed name at ${placeOf(this.#code, at)}`);
    if (kind === 'mark' || kind === 'end') throw this.#unexpected();
    this.#at += 1;
    const name = kind === 'number' ? String(Number(text)) : text;
    if (this.#take(':')) return [name, this.#expression()];
    if (kind !== 'name' || this.#is('(')) throw unsupported(`A method or accessor at ${placeOf(this.#code, at)}`);
    this.#at -= 1;
    return [name, { kind: 'name', name: this.#name() }];
  }
}

const closingOf = (tokens: readonly Token[]): ReadonlyMap<number, number> => {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind !== 'mark') continue;
    if (text === '(') open.push(i);
    else if (text === ')' && open.length > 0) closing.set(open.pop()!, i);
  }
  return closing;
};

/** Makes the last expression the result of the script, as `eval` does. */
const withResult = (statements: readonly Statement[]): readonly Statement[] => {
  const last = statements.at(-1);
  return last?.kind === 'expression'
    ? [...statements.slice(0, -1), { kind: 'return', value: last.expression }]
    : statements;
};

const functionIn = (statement: Statement | undefined): FunctionNode | undefined => {
  if (statement?.kind === 'expression' && statement.expression.kind === 'function') return statement.expression;
  if (statement?.kind !== 'declare' || statement.how !== 'var') return undefined;
  const [declared] = statement.declarations;
  return declared?.value?.kind === 'function' && declared.value.name === declared.name ? declared.value : undefined;
};

/**
 * Parses a script, which is a function or the body of one: `function f(a) { … }`, `a => …`, `this.a > 1`,
 * `return this.a > 1`.
 * @throws CommandError 139 for invalid or unsupported JavaScript
 */
export const parseScript = (code: string): FunctionNode => {
  const statements = new Parser(code).program();
  const made = statements.length === 1 ? functionIn(statements[0]) : undefined;
  if (made !== undefined) return made;
  return { kind: 'function', name: undefined, parameters: [], body: withResult(statements), isArrow: false };
};
