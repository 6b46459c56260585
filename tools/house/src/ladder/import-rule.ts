import { isBuiltin } from 'node:module';
import { dirname, resolve, sep } from 'node:path';
import { AST_NODE_TYPES } from '@typescript-eslint/utils';
import type { TSESLint, TSESTree } from '@typescript-eslint/utils';

/** What the sources of one package may import. */
export interface ImportOptions {
  /** The folder that relative imports may not leave. */
  readonly sources: string;
  readonly name: string;
  readonly ours: readonly string[];
  /** Entries of these packages besides the first: `@tessera/mql/engine`. */
  readonly entries: readonly string[];
  readonly outside: readonly string[];
  readonly builtins: boolean;
}

type Messages = 'builtin' | 'ours' | 'outside' | 'reach' | 'dynamic';

/** Of every package of ours, by its name or a path into it. */
const isOurs = (specifier: string): boolean => /^(?:@tessera(?:-\w+)?\/|tessera-)/.test(specifier);

/** `name` or `@scope/name`, of a path into it too. */
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

/** The star: a package imports what the table gives it, under its own name, and reaches into no other. */
export const importRule: TSESLint.RuleModule<Messages, [ImportOptions]> = {
  meta: {
    type: 'problem',
    docs: { description: 'A package imports `@tessera/contracts`; only roots import other packages of ours.' },
    messages: {
      builtin:
        '`{{specifier}}` is the outside world: take a contract of `@tessera/contracts` through the first argument. Only `packages/node` imports it.',
      ours: '`{{name}}` may import {{ours}}, not `{{specifier}}`: declare what you need as a contract and let the root pass it in.',
      outside:
        '`{{name}}` may import {{outside}}, not `{{specifier}}`: a new dependency begins in tools/house/src/ladder/table.ts.',
      reach: '`{{specifier}}` leaves the sources of `{{name}}`: import packages by their names.',
      dynamic: 'An import whose name is not a literal cannot be judged.',
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
        ours: list(options.ours, 'no package of ours'),
        outside: list(options.outside, 'no package of others'),
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
