import { Cancellation, MongoError, waitFor } from '@tessera/contracts';
import type {
  Address,
  Clock,
  Deployment,
  LookUpSeeds,
  Millis,
  Request,
  SeedList,
  Server,
  TopologyDescription,
} from '@tessera/contracts';
import { emptyTopology } from './description/topology-description.js';
import { defaults } from './options.js';
import { clientIsClosed, failure } from './selection/selection-error.js';

/**
 * The options that an SRV deployment reads. The functions in {@link SrvDeploymentDeps} receive the whole object, which may contain
 * further options, such as `hosts` and `maxPoolSize`.
 */
export interface SrvOptions {
  /** Whether the hosts are looked up with {@link SrvDeploymentDeps.resolve}. */
  readonly srv: boolean;
  /** The host name whose SRV records are looked up. Only error messages contain it. */
  readonly srvHost?: string | undefined;
  /**
   * How long an operation waits for the lookup, in milliseconds. The lookup continues afterwards, and later operations wait for it. The
   * server selection that follows has its own limit. 0 means no limit. Default: 30,000.
   */
  readonly serverSelectionTimeoutMS?: Millis | undefined;
}

/** The dependencies of an SRV deployment. */
export interface SrvDeploymentDeps<Options> {
  /** Limits the wait for the lookup. */
  readonly clock: Clock;
  /**
   * Returns the options, completed with the hosts of the SRV records and the options of the TXT record. Called by the first `select`;
   * after a failure, by the next `select`. Not called without `srv`.
   */
  readonly resolve: (options: Options) => Promise<Options>;
  /**
   * Looks up the hosts again. The deployment that `open` returned calls it, as {@link TopologyDeps.lookUpSeeds}, while it may be a
   * sharded cluster. `options` is the result of `resolve`.
   */
  readonly lookUpSeeds: (options: Options) => Promise<SeedList>;
  /**
   * Opens the deployment of the hosts in the options. Called with the options that `resolve` returned; if it throws, the next `select`
   * calls `resolve` and `open` again. Without `srv`, called once by {@link createSrvDeployment} with its options, and `lookUpSeeds` is
   * undefined.
   */
  readonly open: (options: Options, lookUpSeeds: LookUpSeeds | undefined) => Deployment;
}

type State =
  | { readonly is: 'unknown' }
  | { readonly is: 'looking'; readonly found: Promise<Deployment> }
  | { readonly is: 'open'; readonly deployment: Deployment }
  | { readonly is: 'closed' };

const unknown: State = { is: 'unknown' };
const closed: State = { is: 'closed' };

/** Copies the error for each request that waits: an error collects labels on its way up. */
const copyOf = (error: unknown): unknown =>
  MongoError.is(error) ? new MongoError(error.kind, error.message, { cause: error, origin: error.origin }) : error;

/**
 * A deployment whose hosts are looked up in DNS when the first operation selects a server. If the lookup fails, every waiting
 * operation fails with it, and the next operation looks them up again.
 * Rule: Initial DNS Seedlist Discovery.
 */
class SrvDeployment<Options extends SrvOptions> implements Deployment {
  readonly #deps: SrvDeploymentDeps<Options>;
  readonly #options: Options;
  readonly #closing = new Cancellation();
  /** Aborts to fail the operations that wait for the hosts. Later operations get a new one. */
  #waits = new Cancellation();
  #state: State = unknown;

  constructor(deps: SrvDeploymentDeps<Options>, options: Options) {
    this.#deps = deps;
    this.#options = options;
  }

  get description(): TopologyDescription {
    return this.#state.is === 'open' ? this.#state.deployment.description : emptyTopology;
  }

  get closing(): Deployment['closing'] {
    return this.#state.is === 'open' ? this.#state.deployment.closing : this.#closing;
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
    if (this.#state.is === 'open') this.#state.deployment.interrupt();
  }

  #failAll(): void {
    this.#closing.abort(undefined);
    const waits = this.#waits;
    this.#waits = new Cancellation();
    waits.abort(undefined);
  }

  #look(): Promise<Deployment> {
    const { resolve, lookUpSeeds, open } = this.#deps;
    const find = async (): Promise<Deployment> => {
      const known = await resolve(this.#options);
      if (this.#state !== looking) throw clientIsClosed();
      const deployment = open(known, () => lookUpSeeds(known));
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

  /** Waits until the hosts are known, but no longer than a selection may take. */
  #wait(found: Promise<Deployment>, { operation, deadline, signal }: Request<unknown>): Promise<Deployment> {
    const { clock } = this.#deps;
    const { srvHost, serverSelectionTimeoutMS = defaults.serverSelectionTimeoutMS } = this.#options;
    const limit = serverSelectionTimeoutMS === 0 ? Infinity : serverSelectionTimeoutMS;
    const began = clock.now();
    const limits = { clock, deadline: Math.min(began + limit, deadline), signal, closing: this.#waits };
    const own = found.catch((error: unknown) => {
      throw copyOf(error);
    });
    return waitFor(own, limits, why => {
      if (why === 'closed') return clientIsClosed();
      if (why === 'aborted') {
        const message = `${operation.name} was aborted by its signal during the DNS lookup of ${srvHost}.`;
        return failure('aborted', message, undefined, signal?.reason);
      }
      const waited = clock.now() - began;
      const message = `The DNS lookup of ${srvHost} did not complete within ${Math.round(waited)} ms. Check that the DNS servers answer.`;
      return failure('selection', message, undefined, undefined, waited);
    });
  }
}

/**
 * Returns a deployment. With `srv`, it calls `deps.resolve` to look up its hosts when the first operation selects a server. If the
 * lookup fails, the waiting operations fail, and the next operation repeats the lookup. Without `srv`, it is the deployment that
 * `deps.open` returns for the options.
 */
export const createSrvDeployment = <Options extends SrvOptions>(
  deps: SrvDeploymentDeps<Options>,
  options: Options,
): Deployment => (options.srv ? new SrvDeployment(deps, options) : deps.open(options, undefined));
