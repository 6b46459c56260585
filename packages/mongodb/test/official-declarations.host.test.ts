/** The members of every class and interface that the official driver declares, beside the members in this package. */
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

interface Member {
  readonly isOptional: boolean;
  readonly isReadonly: boolean;
}

/** Names of members with the reason of a difference. */
type Reasons = readonly (readonly [names: RegExp, reason: string])[];

/** Types of client-side encryption, which is not supported. */
const ofEncryption =
  /^(?:AWS|Azure|GCP|KMIP|Local)(?:KMS|Encryption)|^(?:CSFLE|ClientEncryption|AutoEncryption|DataKey|KMS|MongoCrypt|Range|StringQuery|TextQuery)/;

const absent: Reasons = [
  [/(?:#autoEncryption|#encryptedFields)$/, 'Client-side encryption is not supported.'],
  [/^MongoClientOptions#runtimeAdapters$/, 'The option `runtime` replaces the whole runtime.'],
  [
    /^GridFSBucketWriteStream#bufToStore$/,
    'The stream has no single buffer: it collects chunks while others are stored.',
  ],
  [/^GridFSBucket(?:Read|Write)Stream\.prototype$/, 'The streams are those of Node.js. The name is for `instanceof`.'],
  [/^ServerDescription#max(?:MessageSizeBytes|WriteBatchSize|BsonObjectSize)$/, 'The limits belong to connections.'],
  [/^ServerDescription#\$clusterTime$/, 'The cluster time belongs to the client and its sessions.'],
  [/^StreamDescription#__nodejs_mock_server__$/, "It belongs to the official driver's own tests."],
  [/^TransactionOptions#explain$/, 'A transaction cannot be explained, and the driver rejects the option.'],
  [/^UnorderedBulkOperation#handleWriteError$/, 'It is a step of `execute`, which this driver does not divide.'],
  [
    /^MongoCredentials(?:#equals|#resolveAuthMechanism|#validate|\.merge|\.prototype)$/,
    'The class is not exported at run time.',
  ],
  [/^MongoDBCollectionNamespace\./, 'The class is not exported at run time.'],
];

const optional: Reasons = [
  [/^IdPInfo#clientId$/, 'The specification of OIDC makes it optional.'],
  [
    /^MongoOptions#(?:srvHost|serverApi|pkFactory|replicaSet|tlsAllowInvalidCertificates|tlsAllowInvalidHostnames|tlsInsecure)$/,
    'It is undefined without the option, or the driver has no default.',
  ],
];

const program = ts.createProgram(
  ['mongodb', '@tessera/mongodb'].map(
    name =>
      ts.resolveModuleName(
        name,
        fileURLToPath(import.meta.url),
        { moduleResolution: ts.ModuleResolutionKind.NodeNext, module: ts.ModuleKind.NodeNext },
        ts.sys,
        undefined,
        undefined,
        ts.ModuleKind.ESNext,
      ).resolvedModule!.resolvedFileName,
  ),
  {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    strict: true,
  },
);
const checker = program.getTypeChecker();
const { Class, Interface, TypeAlias, Value, Alias, Optional } = ts.SymbolFlags;
const { Private, Protected, Readonly: ReadonlyModifier } = ts.ModifierFlags;

const modifiersOf = (member: ts.Symbol): ts.ModifierFlags => {
  const [declared] = member.declarations ?? [];
  return declared === undefined ? ts.ModifierFlags.None : ts.getCombinedModifierFlags(declared);
};

/** Returns the public members of the exported types as `Name#member`, and the static members as `Name.member`. */
const membersOf = (file: string, isOfficial: boolean): ReadonlyMap<string, Member> => {
  const found = new Map<string, Member>();
  const add = (owner: string, members: readonly ts.Symbol[]): void => {
    for (const member of members) {
      const modifiers = modifiersOf(member);
      // The names of members whose key is a symbol begin with `__@`.
      if ((modifiers & (Private | Protected)) !== 0 || member.name.startsWith('__@')) continue;
      found.set(`${owner}${member.name}`, {
        isOptional: (member.flags & Optional) !== 0,
        isReadonly: (modifiers & ReadonlyModifier) !== 0,
      });
    }
  };
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)) {
    const real = symbol.flags & Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const type = checker.getDeclaredTypeOfSymbol(real);
    const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.UnionOrIntersection)) !== 0;
    if (real.flags & (Class | Interface | TypeAlias) && isObject)
      add(`${symbol.name}#`, checker.getPropertiesOfType(type));
    // A class without the static members that it inherits from Node.js, or a constant of the same name as an interface.
    const statics = real.flags & Class ? [...(real.exports?.values() ?? [])] : undefined;
    const value = real.flags & Value ? checker.getPropertiesOfType(checker.getTypeOfSymbol(real)) : [];
    if (real.flags & (Class | Interface)) add(`${symbol.name}.`, isOfficial ? (statics ?? []) : value);
  }
  return found;
};

const [official, ours] = program.getRootFileNames().map((file, i) => membersOf(file, i === 0)) as [
  ReadonlyMap<string, Member>,
  ReadonlyMap<string, Member>,
];
const names = [...official.keys()].filter(name => !ofEncryption.test(name));

/** Returns the names without a reason. Fails if a reason explains no name. */
const unexplained = (found: readonly string[], reasons: Reasons): readonly string[] => {
  for (const [pattern, reason] of reasons)
    expect(
      found.some(name => pattern.test(name)),
      reason,
    ).toBe(true);
  return found.filter(name => !reasons.some(([pattern]) => pattern.test(name)));
};

/** Whether programs create objects of the type. */
const isGiven = (name: string): boolean => /^\w*(?:Options|Settings|Description)#/.test(name) && ours.has(name);
/** The descriptions of a deployment and its servers, and the resolved options of a client, are results. */
const isResult = (name: string): boolean =>
  /^(?:MongoOptions|(?:Server|Topology|Stream|Update)Description)#/.test(name);

describe('the members that the official driver declares', () => {
  test('exist, except for named reasons', () => {
    expect(official.size).toBeGreaterThan(2000);
    expect(
      unexplained(
        names.filter(name => !ours.has(name)),
        absent,
      ),
    ).toEqual([]);
  });

  test('are always present if they are so in the official driver, except for named reasons', () => {
    const less = names.filter(name => ours.get(name)?.isOptional === true && official.get(name)?.isOptional === false);
    expect(unexplained(less, optional)).toEqual([]);
  });

  test('are optional in options if they are so in the official driver, and can be assigned', () => {
    const given = names.filter(name => isGiven(name) && !isResult(name));
    expect(given.length).toBeGreaterThan(500);
    const differs = (name: string): boolean => {
      const [wanted, mine] = [official.get(name)!, ours.get(name)!];
      return (wanted.isOptional && !mine.isOptional) || (mine.isReadonly && !wanted.isReadonly);
    };
    expect(given.filter(differs)).toEqual([]);
  });
});
