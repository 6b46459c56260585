/** The syntax tree of a script. */

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '**' | '==' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>=';
export type LogicalOperator = '&&' | '||' | '??';
export type UnaryOperator = '!' | '-' | '+' | 'typeof' | 'void';

export interface NameNode {
  readonly kind: 'name';
  readonly name: string;
}

/** `object.name`, `object['name']` */
export interface MemberNode {
  readonly kind: 'member';
  readonly object: Expression;
  readonly key: Expression;
}

/** The target of an assignment. */
export type Target = NameNode | MemberNode;

export interface FunctionNode {
  readonly kind: 'function';
  readonly name: string | undefined;
  readonly parameters: readonly string[];
  readonly body: readonly Statement[];
  /** Whether it is an arrow function, which uses the `this` of its surroundings. */
  readonly isArrow: boolean;
}

export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | NameNode
  | { readonly kind: 'this' }
  | { readonly kind: 'array'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [name: string, value: Expression])[] }
  | FunctionNode
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'logical';
      readonly operator: LogicalOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'conditional'; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  /** Undefined for a plain `=`. */
  | {
      readonly kind: 'assign';
      readonly operator: BinaryOperator | LogicalOperator | undefined;
      readonly target: Target;
      readonly value: Expression;
    }
  | { readonly kind: 'increment'; readonly by: 1 | -1; readonly isPrefix: boolean; readonly target: Target }
  | MemberNode
  | { readonly kind: 'call'; readonly callee: Expression; readonly given: readonly Expression[] };

export interface Declaration {
  readonly name: string;
  readonly value: Expression | undefined;
}

export interface DeclareNode {
  readonly kind: 'declare';
  readonly how: 'const' | 'let' | 'var';
  readonly declarations: readonly Declaration[];
}

export type Statement =
  | { readonly kind: 'expression'; readonly expression: Expression }
  | DeclareNode
  | { readonly kind: 'return'; readonly value: Expression | undefined }
  | { readonly kind: 'if'; readonly test: Expression; readonly yes: Statement; readonly no: Statement | undefined }
  | {
      readonly kind: 'loop';
      readonly first: Statement | undefined;
      readonly test: Expression | undefined;
      readonly next: Expression | undefined;
      readonly body: Statement;
    }
  | { readonly kind: 'break' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'block'; readonly statements: readonly Statement[] };
