import { AST_NODE_TYPES } from '@typescript-eslint/utils';
import type { TSESLint, TSESTree } from '@typescript-eslint/utils';
import { ambient } from './table.js';
import type { Ambient } from './table.js';

const byName: ReadonlyMap<string, Ambient> = new Map(ambient.map(entry => [entry.name, entry]));

/** `Date.UTC(…)`, `new Date(ms)`, `x instanceof Date`, `case Date:`: what is the same everywhere and always. */
function isPure(node: TSESTree.Identifier | TSESTree.JSXIdentifier, { pure }: Ambient): boolean {
  if (pure === undefined) return false;
  const parent = node.parent;
  switch (parent.type) {
    case AST_NODE_TYPES.MemberExpression:
      if (parent.object !== node) return true;
      return !parent.computed && !pure.except.includes((parent.property as TSESTree.Identifier).name);
    case AST_NODE_TYPES.NewExpression:
      return pure.construct && parent.callee === node && parent.arguments.length === 1;
    case AST_NODE_TYPES.BinaryExpression:
    case AST_NODE_TYPES.SwitchCase:
    case AST_NODE_TYPES.TSTypeQuery:
      return true;
    default:
      return false;
  }
}

/** Globals of the host may not be named, under whatever other name they are then used. */
export const ambientRule: TSESLint.RuleModule<'ambient' | 'meta', [readonly string[]]> = {
  meta: {
    type: 'problem',
    docs: { description: 'Only `node` touches time, chance and input or output.' },
    messages: {
      ambient: '`{{name}}` is the outside world: {{instead}}. Only `packages/node` touches it.',
      meta: '`import.meta` is the outside world: take what you need through the first argument.',
    },
    schema: [{ type: 'array', items: { type: 'string' } }],
  },
  create(context) {
    const [allowed] = context.options;
    return {
      MetaProperty(node): void {
        if (node.meta.name === 'import') context.report({ node, messageId: 'meta' });
      },
      'Program:exit'(program): void {
        const scope = context.sourceCode.getScope(program);
        const references = [
          ...scope.through,
          ...scope.variables.filter(v => v.defs.length === 0).flatMap(v => v.references),
        ];
        for (const { identifier, isTypeReference } of new Set(references)) {
          const entry = byName.get(identifier.name);
          if (entry === undefined || isTypeReference || allowed.includes(entry.name) || isPure(identifier, entry))
            continue;
          context.report({
            node: identifier,
            messageId: 'ambient',
            data: { name: entry.name, instead: entry.instead },
          });
        }
      },
    };
  },
};
