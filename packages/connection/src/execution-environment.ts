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
 * Which function service runs this process, if one does: `aws.lambda`, `azure.func`, `gcp.func` or `vercel`. Of several none,
 * but Vercel runs on AWS. Monitors poll there instead of streaming. Rule: MongoDB Handshake, "client.env", "FaaS".
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

/** Without the members that are undefined; undefined if none is left. */
export const present = (document: Document): Document | undefined => {
  const entries = Object.entries(document).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};

/** The `env` document. Rule: MongoDB Handshake, "client.env". */
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
