import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { messageOf } from '@tessera-tools/house';
import type { DriverPackage } from './packages.js';

/** A package cannot be downloaded. The message names the package and says what to do. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Time limit of one download, in milliseconds. */
const timeoutMS = 120_000;

/** Downloads a URL, following redirects. @throws Error if the status is not 2xx or the request fails */
const get = async (url: string, accept: string): Promise<Buffer> => {
  const answer = await fetch(url, { headers: { accept }, signal: AbortSignal.timeout(timeoutMS) });
  if (!answer.ok) throw new Error(`${url} returned status ${answer.status}.`);
  return Buffer.from(await answer.arrayBuffer());
};

/** Runs a program and returns its standard output; empty if it fails or is not installed. */
const printed = async (program: string, args: readonly string[]): Promise<string> => {
  try {
    return (await promisify(execFile)(program, args)).stdout;
  } catch {
    return '';
  }
};

const python = process.platform === 'win32' ? 'python' : 'python3';

/**
 * Returns the first URL in the environment variable, or else in the program's output, without a trailing slash.
 * @throws Error if neither contains a URL
 */
const registryOf = async (variable: string, program: string, ask: () => Promise<string>): Promise<string> => {
  const configured = process.env[variable];
  const text = configured === undefined || configured === '' ? await ask() : configured;
  const found = /https?:[^\s),|]+/.exec(text)?.[0];
  if (found === undefined) throw new Error(`No registry found: neither ${variable} nor ${program} names one.`);
  return found.replace(/\/+$/, '');
};

/** Returns pip's configured package index. The help text of pip shows it as the default. */
const pipIndex = (): Promise<string> =>
  registryOf('PIP_INDEX_URL', python, async () => {
    const help = await printed(python, ['-m', 'pip', 'download', '--help']);
    return help.slice(help.indexOf('--index-url'));
  });

const goProxy = (): Promise<string> => registryOf('GOPROXY', 'go', () => printed('go', ['env', 'GOPROXY']));

/** Rule: PEP 691, the JSON form of the simple repository API. */
const pypiUrl = async ({ project, version }: DriverPackage): Promise<string> => {
  const page = `${await pipIndex()}/${project}/`;
  const answer = await get(page, 'application/vnd.pypi.simple.v1+json');
  const { files } = JSON.parse(answer.toString()) as { readonly files: readonly { filename: string; url: string }[] };
  const found = files.find(({ filename }) => filename === `${project}-${version}.tar.gz`);
  if (found === undefined) throw new Error(`${page} lists no source distribution of ${project} ${version}.`);
  return new URL(found.url, page).href;
};

/** Rule: Go Modules Reference, "GOPROXY protocol". */
const goUrl = async ({ project, version }: DriverPackage): Promise<string> =>
  `${await goProxy()}/${project}/@v/${version}.zip`;

/**
 * Downloads the archive of a package from the registry named by `PIP_INDEX_URL` or pip, or by `GOPROXY` or go. It does
 * not download
 * through pip or go, because they would also build the package.
 * @throws Unreachable if the download fails; Error if the archive has a different digest
 */
export const download = async (one: DriverPackage): Promise<Uint8Array> => {
  let bytes: Uint8Array;
  try {
    const url = one.registry === 'PyPI' ? await pypiUrl(one) : await goUrl(one);
    bytes = await get(url, '*/*');
  } catch (error) {
    throw new Unreachable(
      `${one.name}, which holds official fixtures, could not be downloaded (${messageOf((error as Error).cause ?? error)}). Connect to the network and run \`npm run fixtures\`, or set SPECIFICATIONS_DIR.`,
      { cause: error },
    );
  }
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (digest !== one.sha256)
    throw new Error(`The archive of ${one.name} has the SHA-256 digest ${digest}, not ${one.sha256}.`);
  return bytes;
};
