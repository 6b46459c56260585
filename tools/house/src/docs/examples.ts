import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from './repository.js';

/** The TypeScript examples of a page, in order. */
export const examplesIn = (markdown: string): string[] =>
  [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);

/** The examples of a page that are files: the first line of each is a comment that says its name, by which others import it. */
export const filesIn = (markdown: string): { readonly name: string; readonly code: string }[] =>
  examplesIn(markdown).map(code => {
    const name = /^\/\/ ([\w-]+)\.ts\n/.exec(code)?.[1];
    if (name === undefined) throw new Error(`An example does not begin with a comment that names its file: ${code}`);
    return { name, code };
  });

const folder = join(root, '.cache', 'docs', 'examples');

/** Writes an example where `@tessera/*` is the workspace's, as TypeScript and as what Node.js runs. @param name may name a folder */
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

/** What the compiler says of these files, by the settings of our own tests; a line each. */
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
