import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { kept, programs } from '../../folders.js';
import { digest, installOnce } from '../../outside/install.js';
import { fetching, versionOf } from '../../outside/program.js';
import type { Peer } from '../peer.js';
import { programPeer } from './program-peer.js';

const source = join(programs, 'rust');
const program = process.platform === 'win32' ? 'peer.exe' : 'peer';
const advice = 'install Rust 1.85 or newer (rustup.rs) and run the same command again';

const sources = (): readonly string[] => [
  ...['Cargo.toml', 'Cargo.lock'].map(name => join(source, name)),
  ...readdirSync(join(source, 'src')).map(name => join(source, 'src', name)),
];

/** What the compiler fetched and made on the way, some 1 GB, is not kept: the program is. */
const build = async (signal: AbortSignal): Promise<string> => {
  await versionOf('cargo', ['--version'], advice);
  return installOnce(join(kept, `peer-rust-${digest([], sources())}`), async unfinished => {
    const [crate, home, target] = ['crate', 'home', 'target'].map(name => join(unfinished, name)) as [
      string,
      string,
      string,
    ];
    cpSync(source, crate, { recursive: true });
    const env = { ...process.env, CARGO_HOME: home, CARGO_TARGET_DIR: target };
    await fetching('rust', 'cargo', ['build', '--locked'], { cwd: crate, env, signal });
    cpSync(join(target, 'debug', program), join(unfinished, program));
    for (const folder of [crate, home, target]) rmSync(folder, { recursive: true, force: true });
  });
};

export const rust: Peer = programPeer({
  name: 'rust',
  description: 'mongodb 3.9.0, the driver for Rust, by a program',
  short: false,
  install: async signal => ({ file: join(await build(signal), program), args: [] }),
});
