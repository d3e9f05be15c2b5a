import { availableParallelism } from 'node:os';
import { DomainError } from '@alpenglow/domain';
import { limitByNetwork } from './client-address.ts';

/** The error of a request that has waited too long, or whose network has too many waiting requests. */
export class BusyError extends DomainError {
  constructor() {
    super('UNAVAILABLE', {}, RETRY_AFTER_s);
  }
}

/** The right of a request to run. */
export interface Turn {
  /** Ends the turn, and adds its cost to that of the network. Further calls have no effect. */
  end(): void;
}

export interface FairQueue {
  /**
   * Resolves when a request from this address may run. Rejects with `BusyError`. Rejects with the reason of `signal` if
   * it aborts while the request waits.
   */
  enter(address: string | undefined, signal?: AbortSignal): Promise<Turn>;
}

export interface FairQueueOptions {
  /** The number of processor cores. The budgets are proportional to it. */
  readonly cores?: number;
  readonly now?: () => number;
}

/** The part of the processor cores that one network may use permanently while other networks are active. */
const SHARE = 0.25;
/** The unused budget that a network can save, per core. It is enough for several pages with all their requests. */
const SAVED_ms = 1_000;
/** The number of requests of a network that run at a time. It falls to 1 while the network uses up its budget. */
const RUNNING_OF_NETWORK = 4;
/** A network may run one more request at a time for each such part of its budget. */
const BUDGET_PER_RUNNING_ms = 250;
/** The number of requests that run at a time, per core. */
const RUNNING_PER_CORE = 16;
/**
 * A request that runs longer occupies no slot of the process any more, because it probably waits for a slow service.
 * Otherwise, a few networks could occupy all slots.
 */
const SLOT_LIMIT_ms = 1_000;
/**
 * A request that runs longer occupies no slot of its network any more, because it probably waits for its own body. The
 * limit is that of the statements of public reads, so one network never occupies many connections of Postgres.
 */
const NETWORK_SLOT_LIMIT_ms = 5_000;
/**
 * The maximum cost of a request. A longer request probably waits for a slow service. While Postgres is slow, this
 * applies to all requests, and an ordinary visitor must not run out of budget because of that.
 */
const COST_LIMIT_ms = 100;
/** The cost of the work before and after the turn of a request. */
const FIXED_COST_ms = 0.5;
/** The time after which a network no longer counts as active. */
const ACTIVE_ms = 10_000;
const WAIT_LIMIT_ms = 10_000;
const WAITING_OF_NETWORK = 1_000;
const WAITING = 5_000;
const RETRY_AFTER_s = 5;
/** If more networks are stored than this, those with a full budget are deleted. */
const STORED_NETWORKS = 10_000;
const MIN_TIMER_ms = 1;

interface Network {
  readonly key: string;
  /** 4 for a /48 network of IPv6, which may have several subscribers. */
  readonly factor: number;
  budget_ms: number;
  updated_ms: number;
  readonly running: Set<RunningTurn>;
  waiting: number;
}

interface RunningTurn {
  /** The time of the start, or of the last charge. */
  started_ms: number;
  /** The cost before that time. */
  charged_ms: number;
}

interface WaitingRequest {
  readonly networks: readonly Network[];
  readonly start: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Creates the queue of the requests of a process (decision 0097). The cost of a request is the time of its turn, up to
 * a limit. Each network has a budget of cost that grows with time. The less budget is left, the fewer requests of the
 * network run at a time. Without budget, its requests wait. Among the networks with waiting requests, the one with the
 * most budget is next. A network that is alone uses the whole process.
 */
export function createFairQueue({
  cores = availableParallelism(),
  now = () => performance.now(),
}: FairQueueOptions = {}): FairQueue {
  const growth = SHARE * cores;
  const saved_ms = SAVED_ms * cores;
  const networks = new Map<string, Network>();
  /** The waiting requests by the subscriber's network, in the order of their arrival. */
  const queues = new Map<string, WaitingRequest[]>();
  let waiting = 0;
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  let swept_ms = 0;
  let latest = { key: '', at_ms: -Infinity };
  let latestOther = { key: '', at_ms: -Infinity };

  function findNetwork(key: string, factor: number): Network {
    const known = networks.get(key);
    if (known) return known;
    const network = {
      key,
      factor,
      budget_ms: saved_ms * factor,
      updated_ms: now(),
      running: new Set<RunningTurn>(),
      waiting: 0,
    };
    networks.set(key, network);
    return network;
  }

  /** Returns the budget of a network after the cost of its running requests so far. */
  function budgetOf(network: Network): number {
    const now_ms = now();
    const { factor, updated_ms } = network;
    network.budget_ms = Math.min(saved_ms * factor, network.budget_ms + (now_ms - updated_ms) * growth * factor);
    network.updated_ms = now_ms;
    let budget_ms = network.budget_ms;
    for (const turn of network.running) budget_ms -= costOf(turn, now_ms);
    return budget_ms;
  }

  /** Returns the cost of a turn that is not charged yet. */
  const costOf = ({ started_ms, charged_ms }: RunningTurn, now_ms: number) =>
    Math.min(now_ms - started_ms, COST_LIMIT_ms - charged_ms);

  function charge(network: Network, key: string, cost_ms: number): void {
    budgetOf(network);
    // A debt is limited, so that a network can continue soon. A network that is alone has none.
    const least_ms = isAlone(key) ? Math.min(0, network.budget_ms) : -saved_ms * network.factor;
    network.budget_ms = Math.max(least_ms, network.budget_ms - cost_ms);
  }

  const recordArrival = (key: string) => {
    if (latest.key !== key) latestOther = latest;
    latest = { key, at_ms: now() };
  };
  const isAlone = (key: string) => now() - (latest.key === key ? latestOther : latest).at_ms > ACTIVE_ms;

  function canRun(network: Network, isLimited: boolean): boolean {
    const { factor } = network;
    if (network.running.size >= RUNNING_OF_NETWORK * factor) return false;
    if (!isLimited) return true;
    const budget_ms = budgetOf(network);
    return budget_ms > 0 && network.running.size <= budget_ms / BUDGET_PER_RUNNING_ms;
  }

  function createTurn(key: string, own: readonly Network[]): Turn {
    const turn: RunningTurn = { started_ms: now(), charged_ms: 0 };
    let isEnded = false;
    let hasSlot = true;
    const releaseSlot = () => {
      if (hasSlot) running -= 1;
      hasSlot = false;
    };
    const releaseAll = () => {
      releaseSlot();
      for (const network of own) network.running.delete(turn);
    };
    const addCost = () => {
      const now_ms = now();
      const cost_ms = costOf(turn, now_ms);
      for (const network of own) charge(network, key, cost_ms);
      turn.started_ms = now_ms;
      turn.charged_ms += cost_ms;
    };
    const timers = [
      setTimeout(() => {
        releaseSlot();
        dispatch();
      }, SLOT_LIMIT_ms).unref(),
      setTimeout(() => {
        releaseAll();
        addCost();
        dispatch();
      }, NETWORK_SLOT_LIMIT_ms).unref(),
    ];
    running += 1;
    for (const network of own) {
      network.running.add(turn);
      charge(network, key, FIXED_COST_ms);
    }
    return {
      end() {
        if (isEnded) return;
        isEnded = true;
        for (const each of timers) clearTimeout(each);
        releaseAll();
        addCost();
        dispatch();
      },
    };
  }

  function removeFromQueue(key: string, request: WaitingRequest): void {
    const queue = queues.get(key);
    const index = queue?.indexOf(request) ?? -1;
    if (!queue || index === -1) return;
    queue.splice(index, 1);
    if (queue.length === 0) queues.delete(key);
    waiting -= 1;
    for (const network of request.networks) network.waiting -= 1;
  }

  /** Starts the requests that may run now. If others wait only for budget, a timer calls this function again. */
  function dispatch(): void {
    clearTimeout(timer);
    while (running < RUNNING_PER_CORE * cores) {
      const next = findNext();
      if (!next) break;
      removeFromQueue(next.key, next.request);
      next.request.start();
    }
    if (waiting > 0 && running < RUNNING_PER_CORE * cores) timer = setTimeout(dispatch, timeUntilBudget_ms());
  }

  function findNext(): { readonly key: string; readonly request: WaitingRequest } | null {
    let found: { readonly key: string; readonly request: WaitingRequest } | null = null;
    let most_ms = -Infinity;
    for (const [key, [request]] of queues) {
      const [subscriber] = request?.networks ?? [];
      if (!request || !subscriber) continue;
      const budget_ms = budgetOf(subscriber);
      const isLimited = !isAlone(key);
      if (budget_ms <= most_ms || !request.networks.every((network) => canRun(network, isLimited))) continue;
      found = { key, request };
      most_ms = budget_ms;
    }
    return found;
  }

  /** Returns the time until a waiting network has budget again. */
  function timeUntilBudget_ms(): number {
    let least_ms = ACTIVE_ms;
    for (const [request] of queues.values())
      for (const network of request?.networks ?? []) {
        const { factor } = network;
        const missing_ms = network.running.size * BUDGET_PER_RUNNING_ms - budgetOf(network);
        if (missing_ms >= 0) least_ms = Math.min(least_ms, missing_ms / (growth * factor));
      }
    return Math.max(MIN_TIMER_ms, Math.ceil(least_ms));
  }

  /** Rejects the newest waiting request of the network with the most waiting requests. */
  function rejectLongest(): void {
    let longest: { readonly key: string; readonly queue: readonly WaitingRequest[] } | null = null;
    for (const [key, queue] of queues) if (queue.length > (longest?.queue.length ?? 0)) longest = { key, queue };
    const request = longest?.queue.at(-1);
    if (!longest || !request) return;
    removeFromQueue(longest.key, request);
    request.reject(new BusyError());
  }

  function forgetUnused(): void {
    const now_ms = now();
    if (networks.size <= STORED_NETWORKS || now_ms - swept_ms < ACTIVE_ms) return;
    swept_ms = now_ms;
    for (const [key, network] of networks)
      if (network.waiting === 0 && network.running.size === 0 && budgetOf(network) >= saved_ms * network.factor)
        networks.delete(key);
  }

  return {
    async enter(address, signal) {
      signal?.throwIfAborted();
      forgetUnused();
      const own = limitByNetwork(address, 1).map(({ network, max }) => findNetwork(network, max));
      const key = own[0]?.key ?? '';
      recordArrival(key);
      if (running < RUNNING_PER_CORE * cores && !queues.has(key)) {
        const isLimited = !isAlone(key);
        if (own.every((network) => canRun(network, isLimited))) return createTurn(key, own);
      }
      if (own.some((network) => network.waiting >= WAITING_OF_NETWORK * network.factor)) throw new BusyError();
      return new Promise((resolve, reject) => {
        const settle = () => {
          clearTimeout(limit);
          signal?.removeEventListener('abort', cancel);
        };
        const request: WaitingRequest = {
          networks: own,
          start() {
            settle();
            resolve(createTurn(key, own));
          },
          reject(error) {
            settle();
            reject(error);
          },
        };
        const cancel = () => {
          removeFromQueue(key, request);
          request.reject(signal?.reason as Error);
        };
        const limit = setTimeout(() => {
          removeFromQueue(key, request);
          request.reject(new BusyError());
        }, WAIT_LIMIT_ms).unref();
        signal?.addEventListener('abort', cancel, { once: true });
        const queue = queues.get(key) ?? [];
        queue.push(request);
        queues.set(key, queue);
        waiting += 1;
        for (const network of own) network.waiting += 1;
        if (waiting > WAITING) rejectLongest();
        dispatch();
      });
    },
  };
}
