import { isBuiltin } from 'node:module';
import { dirname, resolve, sep } from 'node:path';
import { AST_NODE_TYPES } from '@typescript-eslint/utils';
import type { TSESLint, TSESTree } from '@typescript-eslint/utils';

/** The allowed imports of a package's sources. */
export interface ImportOptions {
  /** The folder that relative imports must not leave. */
  readonly sources: string;
  readonly name: string;
  readonly ours: readonly string[];
  /** Additional entry points of these packages, such as `@tessera/mql/engine`. */
  readonly entries: readonly string[];
  readonly outside: readonly string[];
  readonly builtins: boolean;
}

type Messages = 'builtin' | 'ours' | 'outside' | 'reach' | 'dynamic';

/** Returns whether a specifier names a package of this repository, or a path in it. */
const isOurs = (specifier: string): boolean => /^(?:@tessera(?:-\w+)?\/|tessera-)/.test(specifier);

/** Returns the package of a specifier: `name` or `@scope/name`. */
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

function judge(specifier: string, file: string, options: ImportOptions): Messages | undefined {
  if (specifier.startsWith('.')) {
    return resolve(dirname(file), specifier).startsWith(options.sources + sep) ? undefined : 'reach';
  }
  if (isBuiltin(specifier)) return options.builtins ? undefined : 'builtin';
  if (isOurs(specifier))
    return options.ours.includes(specifier) || options.entries.includes(specifier) ? undefined : 'ours';
  return options.outside.includes(packageOf(specifier)) ? undefined : 'outside';
}

/** Allows only the imports that the table lists for the package, by package name. */
export const importRule: TSESLint.RuleModule<Messages, [ImportOptions]> = {
  meta: {
    type: 'problem',
    docs: { description: 'Packages import only `@tessera/contracts`; composition roots also import other packages.' },
    messages: {
      builtin:
        '`{{specifier}}` accesses the host: pass a contract of `@tessera/contracts` through the first argument. Only `packages/node` may import it.',
      ours: '`{{name}}` may import {{ours}}, not `{{specifier}}`: declare a contract, and let the composition root pass the implementation.',
      outside:
        '`{{name}}` may import {{outside}}, not `{{specifier}}`: add a new dependency to tools/house/src/ladder/table.ts.',
      reach: '`{{specifier}}` is outside the sources of `{{name}}`: import packages by name.',
      dynamic: 'The specifier of an import must be a string literal.',
    },
    schema: [{ type: 'object' }],
  },
  create(context) {
    const [options] = context.options;
    const list = (names: readonly string[], none: string): string =>
      names.length === 0 ? none : names.map(name => `\`${name}\``).join(', ');
    function check(node: TSESTree.Node, source: TSESTree.Node | null): void {
      if (source === null) return;
      if (source.type !== AST_NODE_TYPES.Literal || typeof source.value !== 'string') {
        context.report({ node, messageId: 'dynamic' });
        return;
      }
      const specifier = source.value;
      const messageId = judge(specifier, context.filename, options);
      if (messageId === undefined) return;
      const data = {
        specifier,
        name: options.name,
        ours: list(options.ours, 'no package of this repository'),
        outside: list(options.outside, 'no third-party package'),
      };
      context.report({ node, messageId, data });
    }
    return {
      ImportDeclaration: node => {
        check(node, node.source);
      },
      ExportNamedDeclaration: node => {
        check(node, node.source);
      },
      ExportAllDeclaration: node => {
        check(node, node.source);
      },
      ImportExpression: node => {
        check(node, node.source);
      },
      TSImportType: node => {
        check(node, node.source);
      },
      TSExternalModuleReference: node => {
        check(node, node.expression);
      },
    };
  },
};
