import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { kept, programs, recipes } from '../../folders.js';
import { digest, installOnce } from '../../outside/install.js';
import { javaProgram } from '../../outside/java.js';
import { fetching, versionOf } from '../../outside/program.js';
import { uriOf } from '../deployment.js';
import { buildGo, built } from '../go/build.js';
import type { Peer } from '../peer.js';
import { npmPackages } from './npm-packages.js';
import { programPeer } from './program-peer.js';

const official = (major: number, version: string): Peer =>
  programPeer({
    name: `mongodb-${major}`,
    description: `npm mongodb ${version}, the official driver for Node.js, with a program`,
    short: major === 7,
    install: async signal => ({
      file: process.execPath,
      args: [join(programs, 'npm-mongodb', 'main.mjs')],
      env: { DRIVER: join(await npmPackages('npm-mongodb', signal), `mongodb-${major}`, 'lib', 'index.js') },
    }),
  });

/** One program with three versions of the driver. */
export const npmMongodb: readonly Peer[] = [official(7, '7.9.0'), official(6, '6.22.0'), official(4, '4.17.2')];

export const mongosh: Peer = programPeer({
  name: 'mongosh',
  description: 'npm mongosh 2.12.0, the shell, with a script',
  install: async signal => {
    const command = join(await npmPackages('npm-mongosh', signal), 'mongosh', 'bin', 'mongosh.js');
    const script = join(programs, 'mongosh', 'checks.js');
    return {
      file: process.execPath,
      args: [command, '--quiet', '--norc'],
      argsFor: at => [uriOf(at), '--file', script],
    };
  },
});

export const mongoose: Peer = programPeer({
  name: 'mongoose',
  description: 'npm mongoose 9.12.1, with a program',
  install: async signal => ({
    file: process.execPath,
    args: [join(programs, 'mongoose', 'main.mjs')],
    env: { MONGOOSE: join(await npmPackages('npm-mongoose', signal), 'mongoose', 'index.js') },
  }),
});

const javaFolder = join(programs, 'java');

export const java: Peer = programPeer({
  name: 'java',
  description: 'mongodb-driver-sync 5.6.1, the driver for Java, with a program',
  install: async signal => {
    const [pom, jars] = ['pom.xml', 'jars.sha256'].map(name => join(recipes, 'java', name)) as [string, string];
    const sources = readdirSync(javaFolder)
      .filter(name => name.endsWith('.java'))
      .map(name => join(javaFolder, name));
    return {
      file: 'java',
      args: ['-Dfile.encoding=UTF-8', '-cp', await javaProgram('peer-java', { pom, jars, sources }, signal), 'Main'],
    };
  },
});

const crateFolder = join(programs, 'rust');
const adviceForRust = 'install Rust 1.85 or newer (rustup.rs) and run the same command again';

const rustSources = (): readonly string[] => [
  ...['Cargo.toml', 'Cargo.lock'].map(name => join(crateFolder, name)),
  ...readdirSync(join(crateFolder, 'src')).map(name => join(crateFolder, 'src', name)),
];

/** Builds the program. The downloads and caches of the compiler, about 1 GB, are removed afterwards. */
const buildRust = async (signal: AbortSignal): Promise<string> => {
  await versionOf('cargo', ['--version'], adviceForRust);
  return installOnce(join(kept, `peer-rust-${digest([], rustSources())}`), async unfinished => {
    const [crate, home, target] = ['crate', 'home', 'target'].map(name => join(unfinished, name)) as [
      string,
      string,
      string,
    ];
    cpSync(crateFolder, crate, { recursive: true });
    const env = { ...process.env, CARGO_HOME: home, CARGO_TARGET_DIR: target };
    await fetching('rust', 'cargo', ['build', '--locked'], { cwd: crate, env, signal });
    cpSync(join(target, 'debug', built.program), join(unfinished, built.program));
    for (const folder of [crate, home, target]) rmSync(folder, { recursive: true, force: true });
  });
};

export const rust: Peer = programPeer({
  name: 'rust',
  description: 'mongodb 3.9.0, the driver for Rust, with a program',
  install: async signal => ({ file: join(await buildRust(signal), built.program), args: [] }),
});

/** Checks transactions and change streams, which the driver's own tests hardly cover without fixtures. */
export const goProgram: Peer = programPeer({
  name: 'go-program',
  description: 'mongo-driver 2.9.3, the driver for Go, with a program for transactions and change streams',
  install: async signal => ({ file: join(await buildGo(signal), built.program), args: [] }),
});
