import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installPacked } from '@tessera-tools/publish';
import type { Slice } from '../work/measure.js';
import type { SideName } from '../side.js';

const modules: Readonly<Record<SideName, string>> = { ours: '@tessera/mongodb', theirs: 'mongodb' };

/** A program that prints microseconds: CPU time and real time of the import, then of the whole process. */
const program = (module: string): string => `
const cpu = process.cpuUsage(), start = performance.now();
await import('${module}');
const end = performance.now(), { user, system } = process.cpuUsage(cpu), all = process.cpuUsage();
process.stdout.write(JSON.stringify([user + system, (end - start) * 1000, all.user + all.system, end * 1000]));
process.exit(0);
`;

export interface Imported {
  /** The import alone. */
  readonly alone: Slice;
  /** The whole process, including the start of Node.js. */
  readonly whole: Slice;
}

let installed: Promise<string> | undefined;

/** Imports a driver in a new process, from an installed package as users have it. */
export const importOnce = async (side: SideName): Promise<Imported> => {
  const args = ['--input-type=module', '-e', program(modules[side])];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: await (installed ??= installPacked(Object.values(modules))),
  });
  const [cpu, wall, allCpu, allWall] = JSON.parse(stdout) as [number, number, number, number];
  return {
    alone: { operations: 1, cpuMicros: cpu, wallMicros: wall },
    whole: { operations: 1, cpuMicros: allCpu, wallMicros: allWall },
  };
};
