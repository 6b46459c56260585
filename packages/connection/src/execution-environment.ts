import type { Document, Host, Platform } from '@tessera/contracts';

export type Environment = Pick<Host, 'environment'>;

const INT32_MAX = 2 ** 31 - 1;

const populated = (from: Environment, ...names: string[]): boolean =>
  names.some(name => (from.environment(name) ?? '') !== '');

const int32Of = (from: Environment, name: string): number | undefined => {
  const text = from.environment(name) ?? '';
  return /^\d{1,10}$/.test(text) && Number(text) <= INT32_MAX ? Number(text) : undefined;
};

const textOf = (from: Environment, name: string): string | undefined => {
  const text = from.environment(name);
  return text === '' ? undefined : text;
};

const onLambda = (from: Environment): boolean =>
  (from.environment('AWS_EXECUTION_ENV') ?? '').startsWith('AWS_Lambda_') || populated(from, 'AWS_LAMBDA_RUNTIME_API');

/**
 * Returns the function service that runs this process: `aws.lambda`, `azure.func`, `gcp.func` or `vercel`. Returns
 * undefined if none does, or if the environment names several, except that Vercel takes precedence over AWS. Monitors
 * poll instead of streaming in a function service. Rule: MongoDB Handshake, "client.env", "FaaS".
 */
export const functionService = (from: Environment): string | undefined => {
  const found = [
    ...(populated(from, 'VERCEL') ? ['vercel'] : onLambda(from) ? ['aws.lambda'] : []),
    ...(populated(from, 'FUNCTIONS_WORKER_RUNTIME') ? ['azure.func'] : []),
    ...(populated(from, 'K_SERVICE', 'FUNCTION_NAME') ? ['gcp.func'] : []),
  ];
  return found.length === 1 ? found[0] : undefined;
};

const details = (service: string, from: Environment): Document => {
  switch (service) {
    case 'aws.lambda':
      return {
        region: textOf(from, 'AWS_REGION'),
        memory_mb: int32Of(from, 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE'),
      };
    case 'gcp.func':
      return {
        memory_mb: int32Of(from, 'FUNCTION_MEMORY_MB'),
        timeout_sec: int32Of(from, 'FUNCTION_TIMEOUT_SEC'),
        region: textOf(from, 'FUNCTION_REGION'),
      };
    case 'vercel':
      return { region: textOf(from, 'VERCEL_REGION') };
    default:
      return {};
  }
};

/** Removes the undefined members. Returns undefined if no member is left. */
export const present = (document: Document): Document | undefined => {
  const entries = Object.entries(document).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};

/** Returns the `env` document of the client metadata. Rule: MongoDB Handshake, "client.env". */
export const executionEnvironment = ({ container }: Platform, from: Environment): Document | undefined => {
  const service = functionService(from);
  return present({
    name: service,
    ...(service === undefined ? {} : details(service, from)),
    container: present({
      runtime: container === 'docker' ? 'docker' : undefined,
      orchestrator: populated(from, 'KUBERNETES_SERVICE_HOST') ? 'kubernetes' : undefined,
    }),
  });
};
