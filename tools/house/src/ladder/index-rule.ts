import type { CreateRule } from '@oxlint/plugins';

/** Allows only re-exports. */
export const indexRule: CreateRule = {
  meta: {
    type: 'problem',
    docs: { description: 'The index file of a package is a list of re-exports.' },
    messages: { other: 'index.ts must contain only re-exports.' },
    schema: [],
  },
  create(context) {
    return {
      Program({ body }): void {
        for (const node of body) {
          const isReexport =
            node.type === 'ExportAllDeclaration' || (node.type === 'ExportNamedDeclaration' && node.source !== null);
          if (!isReexport) context.report({ node, messageId: 'other' });
        }
      },
    };
  },
};
