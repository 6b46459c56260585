import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { DriverPackage } from './packages.js';

/** A package cannot be downloaded. The message says what is missing and what to do. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Milliseconds that one answer may take. */
const patience = 120_000;

/** The body of the answer, wherever the address leads. @throws Error if there is none */
const get = async (url: string, accept: string, redirects = 5): Promise<Buffer> => {
  const { request } = url.startsWith('https:') ? https : http;
  const asked = request(url, { headers: { accept }, signal: AbortSignal.timeout(patience) }).end();
  const [answer] = (await once(asked, 'response')) as [http.IncomingMessage];
  const { statusCode = 0, headers } = answer;
  const body = await buffer(answer);
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined && redirects > 0)
    return get(new URL(headers.location, url).href, accept, redirects - 1);
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
  return body;
};

/** The value without a slash at its end; the other value if it is absent or empty. */
const base = (configured: string | undefined, otherwise: string): string =>
  (configured === undefined || configured === '' ? otherwise : configured).replace(/\/+$/, '');

/** Rule: PEP 691, the JSON form of the simple repository API. */
const pypiUrl = async ({ project, version }: DriverPackage): Promise<string> => {
  const page = `${base(process.env['PIP_INDEX_URL'], 'https://pypi.org/simple')}/${project}/`;
  const answer = await get(page, 'application/vnd.pypi.simple.v1+json');
  const { files } = JSON.parse(answer.toString()) as { readonly files: readonly { filename: string; url: string }[] };
  const found = files.find(({ filename }) => filename === `${project}-${version}.tar.gz`);
  if (found === undefined) throw new Error(`${page} lists no source distribution of ${project} ${version}`);
  return new URL(found.url, page).href;
};

/** Rule: Go Modules Reference, "GOPROXY protocol". */
const goUrl = ({ project, version }: DriverPackage): string => {
  const proxy = process.env['GOPROXY']?.split(/[,|]/).find(one => /^https?:/.test(one));
  return `${base(proxy, 'https://proxy.golang.org')}/${project}/@v/${version}.zip`;
};

/**
 * Downloads the archive of a package. Reads the mirrors that `PIP_INDEX_URL` and `GOPROXY` name.
 * @throws Unreachable if the registry does not answer; Error if its archive has another digest
 */
export const download = async (one: DriverPackage): Promise<Uint8Array> => {
  let bytes: Uint8Array;
  try {
    const url = one.registry === 'PyPI' ? await pypiUrl(one) : goUrl(one);
    bytes = await get(url, '*/*');
  } catch (error) {
    throw new Unreachable(
      `${one.name}, which holds official fixtures, could not be downloaded (${(error as Error).message}). Connect to the network and run \`npm run fixtures\`, or set SPECIFICATIONS_DIR.`,
      { cause: error },
    );
  }
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (digest !== one.sha256)
    throw new Error(`The archive of ${one.name} has the SHA-256 digest ${digest}, not ${one.sha256}.`);
  return bytes;
};
