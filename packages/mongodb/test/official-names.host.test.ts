/** The names that the package exports, beside those of the official driver. */
import { fileURLToPath } from 'node:url';
import * as ours from '@tessera/mongodb';
import * as official from 'mongodb';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Client-side encryption is not supported. */
const ofEncryption = {
  values: [
    'AutoEncryptionLoggerLevel',
    'ClientEncryption',
    'MongoCryptAzureKMSRequestError',
    'MongoCryptCreateDataKeyError',
    'MongoCryptCreateEncryptedCollectionError',
    'MongoCryptError',
    'MongoCryptInvalidArgumentError',
    'MongoCryptKMSRequestNetworkTimeoutError',
  ],
  types: [
    'AWSEncryptionKeyOptions',
    'AWSKMSProviderConfiguration',
    'AutoEncryptionExtraOptions',
    'AutoEncryptionLoggerLevel',
    'AutoEncryptionOptions',
    'AzureEncryptionKeyOptions',
    'AzureKMSProviderConfiguration',
    'CSFLEKMSTlsOptions',
    'ClientEncryptionCreateDataKeyProviderOptions',
    'ClientEncryptionDataKeyProvider',
    'ClientEncryptionEncryptOptions',
    'ClientEncryptionOptions',
    'ClientEncryptionRewrapManyDataKeyProviderOptions',
    'ClientEncryptionRewrapManyDataKeyResult',
    'ClientEncryptionSocketOptions',
    'ClientEncryptionTlsOptions',
    'DataKey',
    'GCPEncryptionKeyOptions',
    'GCPKMSProviderConfiguration',
    'KMIPEncryptionKeyOptions',
    'KMIPKMSProviderConfiguration',
    'KMSConnectCallback',
    'KMSProviders',
    'LocalKMSProviderConfiguration',
    'MongoCryptAzureKMSRequestError',
    'MongoCryptCreateDataKeyError',
    'MongoCryptCreateEncryptedCollectionError',
    'MongoCryptError',
    'MongoCryptInvalidArgumentError',
    'MongoCryptKMSRequestNetworkTimeoutError',
    'RangeOptions',
    'StringQueryOptions',
    'TextQueryOptions',
  ],
};

const missing = (wanted: readonly string[], given: readonly string[]): readonly string[] =>
  wanted.filter(name => !given.includes(name)).sort();

/** The statements of the declarations of a name. */
interface Declared {
  /** The number of type parameters. */
  readonly parameters: number;
  /** Whether all declarations of the name, some of them or none have the mark `@deprecated`. */
  readonly deprecated: 'all' | 'some' | 'none';
}

const deprecationOf = ({ declarations = [] }: ts.Symbol): Declared['deprecated'] => {
  const marked = declarations.filter(each => ts.getJSDocDeprecatedTag(each) !== undefined);
  return marked.length === 0 ? 'none' : marked.length === declarations.length ? 'all' : 'some';
};

/** Returns the names that modules export, and their members as `Class#member` and `Class.member`. */
const exportsOf = (modules: readonly string[]): readonly ReadonlyMap<string, Declared>[] => {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: [],
  };
  const from = fileURLToPath(import.meta.url);
  const files = modules.map(
    name =>
      ts.resolveModuleName(name, from, options, ts.sys, undefined, undefined, ts.ModuleKind.ESNext).resolvedModule!
        .resolvedFileName,
  );
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const { Class, Interface, TypeAlias } = ts.SymbolFlags;
  return files.map(file => {
    const found = new Map<string, Declared>();
    for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)) {
      const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const parameters = (real.declarations ?? []).map(
        declared => (declared as { readonly typeParameters?: readonly unknown[] }).typeParameters?.length ?? 0,
      );
      found.set(symbol.name, { parameters: Math.max(0, ...parameters), deprecated: deprecationOf(real) });
      const type = checker.getDeclaredTypeOfSymbol(real);
      const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
      const members = real.flags & (Class | Interface | TypeAlias) && isObject ? checker.getPropertiesOfType(type) : [];
      const statics = real.flags & Class ? [...(real.exports?.values() ?? [])] : [];
      for (const member of members)
        found.set(`${symbol.name}#${member.name}`, { parameters: 0, deprecated: deprecationOf(member) });
      for (const member of statics)
        found.set(`${symbol.name}.${member.name}`, { parameters: 0, deprecated: deprecationOf(member) });
    }
    return found;
  });
};

/** The marks that only the official driver has, with the reason why this driver has none. */
const unmarked: readonly (readonly [names: RegExp, reason: string])[] = [
  [
    /(#timeoutMS|#defaultTimeoutMS|#timeoutMode|^CursorTimeoutMode)$/,
    'It limits operations; the official driver ignores it.',
  ],
  [/#explain$/, 'Every operation that a server explains has the option.'],
  [/^Collection#createIndex(es)?$/, 'Options of the index and of the command may be in one object.'],
  [/^Mongo(Client)?Options#driverInfo$/, 'It has the same meaning as appendMetadata, before the first connection.'],
];

const [officialNames, ourNames] = exportsOf(['mongodb', '@tessera/mongodb']) as [
  ReadonlyMap<string, Declared>,
  ReadonlyMap<string, Declared>,
];

test('every value that the official driver exports exists, and a class is a class, except for encryption', () => {
  const [wanted, given] = [official, ours] as unknown as readonly Readonly<Record<string, unknown>>[];
  const names = Object.keys(wanted!).filter(name => !['default', 'module.exports'].includes(name));
  expect(missing(names, Object.keys(given!))).toEqual(ofEncryption.values);
  const common = names.filter(name => name in given!);
  expect(common.filter(name => typeof given![name] !== typeof wanted![name])).toEqual([]);
});

test('every name that the official driver declares exists, with room for its type arguments, except for encryption', () => {
  const exported = (names: ReadonlyMap<string, Declared>): readonly string[] =>
    [...names.keys()].filter(name => !/[#.]/.test(name));
  expect(missing(exported(officialNames), exported(ourNames))).toEqual(ofEncryption.types);
  const isShort = ([name, { parameters }]: readonly [string, Declared]): boolean =>
    parameters < (officialNames.get(name)?.parameters ?? 0);
  expect([...ourNames].filter(isShort)).toEqual([]);
});

test('the names that the official driver marks as deprecated are marked, and no others, except for named reasons', () => {
  const differing = [...officialNames].filter(
    ([name, { deprecated }]) => (ourNames.get(name)?.deprecated ?? deprecated) !== deprecated,
  );
  expect(differing.filter(([name]) => !unmarked.some(([names]) => names.test(name)))).toEqual([]);
  for (const [names] of unmarked) expect(differing.some(([name]) => names.test(name))).toBe(true);
});
