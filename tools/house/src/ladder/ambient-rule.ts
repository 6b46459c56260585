import { AST_NODE_TYPES } from '@typescript-eslint/utils';
import type { TSESLint, TSESTree } from '@typescript-eslint/utils';
import { ambient } from './table.js';
import type { Ambient } from './table.js';

const byName: ReadonlyMap<string, Ambient> = new Map(ambient.map(entry => [entry.name, entry]));

/**
 * Returns whether a use is deterministic, such as `Date.UTC(…)`, `new Date(ms)`, `x instanceof Date` or `case Date:`.
 */
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

/** Forbids references to globals of the host, including aliases. */
export const ambientRule: TSESLint.RuleModule<'ambient' | 'meta', [readonly string[]]> = {
  meta: {
    type: 'problem',
    docs: { description: 'Only `node` may use time, randomness, input and output.' },
    messages: {
      ambient: '`{{name}}` accesses the host: {{instead}}. Only `packages/node` may use it.',
      meta: '`import.meta` accesses the host: pass the value through the first argument.',
    },
    schema: [{ type: 'array', items: { type: 'string' } }],
  },
  create(context) {
    const [allowed] = context.options;
    return {
      MetaProperty(node): void {
        if (node.meta.name === 'import' && !allowed.includes('import.meta'))
          context.report({ node, messageId: 'meta' });
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
