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

/** Returns the names that modules export, each with the number of type parameters. */
const exportsOf = (modules: readonly string[]): readonly ReadonlyMap<string, number>[] => {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noLib: true,
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
  return files.map(file => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
    return new Map(
      checker.getExportsOfModule(module).map(symbol => {
        const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        const parameters = (real.declarations ?? []).map(
          declared => (declared as { readonly typeParameters?: readonly unknown[] }).typeParameters?.length ?? 0,
        );
        return [symbol.name, Math.max(0, ...parameters)];
      }),
    );
  });
};

test('every value that the official driver exports exists, and a class is a class, except for encryption', () => {
  const [wanted, given] = [official, ours] as unknown as readonly Readonly<Record<string, unknown>>[];
  const names = Object.keys(wanted!).filter(name => !['default', 'module.exports'].includes(name));
  expect(missing(names, Object.keys(given!))).toEqual(ofEncryption.values);
  const common = names.filter(name => name in given!);
  expect(common.filter(name => typeof given![name] !== typeof wanted![name])).toEqual([]);
});

test('every name that the official driver declares exists, with room for its type arguments, except for encryption', () => {
  const [wanted, given] = exportsOf(['mongodb', '@tessera/mongodb']);
  expect(missing([...wanted!.keys()], [...given!.keys()])).toEqual(ofEncryption.types);
  expect([...given!].filter(([name, parameters]) => parameters < (wanted!.get(name) ?? 0))).toEqual([]);
});
