import type { CreateRule, ESTree, Reference } from '@oxlint/plugins';
import { lintedSource } from './linted.js';
import { ambient } from './table.js';
import type { Ambient } from './table.js';

const byName: ReadonlyMap<string, Ambient> = new Map(ambient.map(entry => [entry.name, entry]));

/**
 * Returns whether a use is deterministic, such as `Date.UTC(…)`, `new Date(ms)`, `x instanceof Date` or `case Date:`.
 */
function isPure(node: ESTree.Node, { pure }: Ambient): boolean {
  const parent = node.parent;
  if (pure === undefined || parent === null) return false;
  switch (parent.type) {
    case 'MemberExpression':
      if (parent.object !== node) return true;
      return !parent.computed && !pure.except.includes(parent.property.name);
    case 'NewExpression':
      return pure.construct && parent.callee === node && parent.arguments.length === 1;
    case 'BinaryExpression':
    case 'SwitchCase':
    case 'TSTypeQuery':
      return true;
    default:
      return false;
  }
}

/** Forbids references to globals of the host, including aliases. */
export const ambientRule: CreateRule = {
  meta: {
    type: 'problem',
    docs: { description: 'Only `node` may use time, randomness, input and output.' },
    messages: {
      ambient: '`{{name}}` accesses the host: {{instead}}. Only `packages/node` may use it.',
      meta: '`import.meta` accesses the host: pass the value through the first argument.',
    },
    schema: [],
  },
  create(context) {
    const source = lintedSource(context.filename);
    if (source === undefined || source.rung.host === 'all') return {};
    const allowed = source.rung.host[source.path] ?? [];
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
        for (const { identifier, isTypeReference } of new Set<Reference & { readonly isTypeReference?: boolean }>(
          references,
        )) {
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
