import { limitWait, MongoError } from '@tessera/contracts';
import type {
  Address,
  Clock,
  Deployment,
  Millis,
  Random,
  Request,
  Resolver,
  Server,
  TopologyDescription,
} from '@tessera/contracts';
import type { LookUpSeeds } from '@tessera/topology';
import { lookUpSeeds, resolveSrv } from '@tessera/uri';
import type { Settings } from '@tessera/uri';

export interface NamedDeploymentDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly resolver: Resolver;
  /** Makes the deployment once its hosts are known; `lookUpSeeds` asks for them again. */
  readonly open: (known: Settings, lookUpSeeds: LookUpSeeds | undefined) => Deployment;
}

type State =
  | { readonly is: 'unknown' }
  | { readonly is: 'looking'; readonly found: Promise<Deployment> }
  | { readonly is: 'open'; readonly deployment: Deployment }
  | { readonly is: 'closed' };

const unknown: State = { is: 'unknown' };
const closed: State = { is: 'closed' };

const nowhere: TopologyDescription = {
  type: 'Unknown',
  setName: undefined,
  maxElectionId: undefined,
  maxSetVersion: undefined,
  servers: new Map(),
  compatibilityError: undefined,
  logicalSessionTimeoutMinutes: undefined,
};

const clientIsClosed = (): MongoError =>
  new MongoError('closed', 'client is closed; use it before close() or open another.', {
    origin: { phase: 'select', sent: false },
  });

/** One for each who waits: an error collects labels on its way up. */
const copyOf = (error: unknown): unknown =>
  MongoError.is(error) ? new MongoError(error.kind, error.message, { cause: error, origin: error.origin }) : error;

/**
 * A deployment whose hosts DNS tells: looked up when the first operation asks for a server. If that fails, everyone who waits
 * fails with it at once, and the next operation has them looked up anew.
 * Rule: Initial DNS Seedlist Discovery.
 */
class NamedDeployment implements Deployment {
  readonly #deps: NamedDeploymentDeps;
  readonly #settings: Settings;
  readonly #waiting = new Set<(error: MongoError) => void>();
  #state: State = unknown;

  constructor(deps: NamedDeploymentDeps, settings: Settings) {
    this.#deps = deps;
    this.#settings = settings;
  }

  get description(): TopologyDescription {
    return this.#state.is === 'open' ? this.#state.deployment.description : nowhere;
  }

  get closing(): Deployment['closing'] {
    return this.#state.is === 'open' ? this.#state.deployment.closing : undefined;
  }

  select(request: Request<unknown>, at?: Address): ReturnType<Deployment['select']> {
    const state = this.#state;
    switch (state.is) {
      case 'open':
        return state.deployment.select(request, at);
      case 'closed':
        return Promise.reject(clientIsClosed());
      case 'looking':
        return this.#selectLater(state.found, request, at);
      case 'unknown':
        return this.#selectLater(this.#look(), request, at);
    }
  }

  report(error: MongoError): void {
    if (this.#state.is === 'open') this.#state.deployment.report(error);
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = closed;
    this.#failAll();
    if (state.is === 'open') await state.deployment.close();
  }

  interrupt(): void {
    this.#failAll();
    if (this.#state.is === 'open') this.#state.deployment.interrupt?.();
  }

  #failAll(): void {
    for (const fail of [...this.#waiting]) fail(clientIsClosed());
  }

  #look(): Promise<Deployment> {
    const { resolver, open } = this.#deps;
    const find = async (): Promise<Deployment> => {
      const known = await resolveSrv(this.#deps, this.#settings);
      if (this.#state !== looking) throw clientIsClosed();
      const deployment = open(known, () => lookUpSeeds(resolver, known));
      this.#state = { is: 'open', deployment };
      return deployment;
    };
    const found = find();
    const looking: State = { is: 'looking', found };
    this.#state = looking;
    found.catch(() => {
      if (this.#state === looking) this.#state = unknown;
    });
    return found;
  }

  async #selectLater(found: Promise<Deployment>, request: Request<unknown>, at: Address | undefined): Promise<Server> {
    return (await this.#wait(found, request)).select(request, at);
  }

  /** Until the hosts are known, but no longer than a selection may take. */
  #wait(found: Promise<Deployment>, { operation, deadline, signal }: Request<unknown>): Promise<Deployment> {
    const { clock } = this.#deps;
    const { srvHost, serverSelectionTimeoutMS } = this.#settings;
    const limit = serverSelectionTimeoutMS === 0 ? Infinity : serverSelectionTimeoutMS;
    return new Promise((resolve, reject) => {
      const began = clock.now();
      const fail = (error: unknown): void => {
        leave();
        reject(error);
      };
      const failAs = (
        kind: 'selection' | 'aborted',
        message: string,
        more: { cause?: unknown; waited?: Millis },
      ): void => {
        const { cause, waited } = more;
        fail(new MongoError(kind, message, { cause, origin: { phase: 'select', sent: false, waited } }));
      };
      let stop = (): void => {};
      const leave = (): void => {
        this.#waiting.delete(fail);
        stop();
      };
      this.#waiting.add(fail);
      try {
        stop = limitWait({ clock, deadline: Math.min(began + limit, deadline), signal }, why => {
          if (why === 'aborted') {
            const message = `${operation.name} was aborted by its signal while ${srvHost} was looked up.`;
            return failAs('aborted', message, { cause: signal?.reason });
          }
          const waited = clock.now() - began;
          const message = `The hosts of ${srvHost} were not known within ${Math.round(waited)} ms; do the name servers answer?`;
          failAs('selection', message, { waited });
        });
      } catch (error) {
        return fail(error);
      }
      found.then(
        deployment => {
          leave();
          resolve(deployment);
        },
        (error: unknown) => {
          fail(copyOf(error));
        },
      );
    });
  }
}

/** The deployment of these hosts, or of those that DNS is to tell. */
export const createNamedDeployment = (deps: NamedDeploymentDeps, settings: Settings): Deployment =>
  settings.srv ? new NamedDeployment(deps, settings) : deps.open(settings, undefined);
