import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from './repository.js';

/** Returns the TypeScript examples of a page, in order. */
export const examplesIn = (markdown: string): string[] =>
  [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);

/**
 * Returns the examples of a page as files. The first line of each is a comment with its file name, by which others
 * import it.
 */
export const filesIn = (markdown: string): { readonly name: string; readonly code: string }[] =>
  examplesIn(markdown).map(code => {
    const name = /^\/\/ ([\w-]+)\.ts\n/.exec(code)?.[1];
    if (name === undefined) throw new Error(`An example does not begin with a comment with its file name: ${code}`);
    return { name, code };
  });

const folder = join(root, '.cache', 'docs', 'examples');

/**
 * Writes an example as TypeScript and JavaScript to a folder where imports resolve to the workspace.
 * @param name may contain a folder
 */
export function writeExample(name: string, code: string): { readonly typescript: string; readonly javascript: string } {
  const [typescript, javascript] = [join(folder, `${name}.ts`), join(folder, `${name}.js`)];
  mkdirSync(dirname(typescript), { recursive: true });
  const { outputText } = ts.transpileModule(code, {
    fileName: typescript,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  writeFileSync(typescript, code);
  writeFileSync(javascript, outputText);
  return { typescript, javascript };
}

/** Returns the compiler errors of these files, with the settings of the repository's tests. */
export function typeErrors(files: readonly string[]): string[] {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.tests.json'),
    { incremental: false },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: diagnostic => {
        throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
      },
    },
  );
  const { tsBuildInfoFile: _, ...options } = config!.options;
  const program = ts.createProgram(files, options);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const at =
      file === undefined
        ? ''
        : `${file.fileName.slice(folder.length + 1)}:${ts.getLineAndCharacterOfPosition(file, start ?? 0).line + 1}: `;
    return at + ts.flattenDiagnosticMessageText(messageText, '\n');
  });
}
