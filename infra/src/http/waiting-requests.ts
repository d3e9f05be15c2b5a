import { DomainError } from '@alpenglow/domain';
import type { Network, NetworkBudgets } from './network-budgets.ts';

const WAITING_OF_NETWORK = 1_000;
const WAITING = 5_000;
const RETRY_AFTER_s = 5;

/** The error of a request that has waited too long, or whose network has too many waiting requests. */
export class BusyError extends DomainError {
  constructor() {
    super('UNAVAILABLE', {}, RETRY_AFTER_s);
  }
}

/** A request that waits for its turn. */
export interface WaitingRequest {
  readonly networks: readonly Network[];
  readonly start: () => void;
  readonly reject: (error: Error) => void;
}

/** A waiting request, and the key of the subscriber's network. */
interface QueuedRequest {
  readonly key: string;
  readonly request: WaitingRequest;
}

/**
 * Owns the waiting requests by the subscriber's network, in the order of their arrival. Invariant: `waiting` of
 * a network is the number of its requests here.
 */
export function createWaitingRequests(budgets: Pick<NetworkBudgets, 'budgetOf' | 'canRun'>) {
  const queues = new Map<string, WaitingRequest[]>();
  let waiting = 0;

  function removeFromQueue(key: string, request: WaitingRequest): void {
    const queue = queues.get(key);
    const index = queue?.indexOf(request) ?? -1;
    if (!queue || index === -1) return;
    queue.splice(index, 1);
    if (queue.length === 0) queues.delete(key);
    waiting -= 1;
    for (const network of request.networks) network.waiting -= 1;
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

  return {
    has: (key: string): boolean => queues.has(key),
    isEmpty: (): boolean => waiting === 0,
    /** Throws `BusyError` if one of the networks has too many waiting requests. */
    requireRoom(own: readonly Network[]): void {
      if (own.some((network) => network.waiting >= WAITING_OF_NETWORK * network.factor)) throw new BusyError();
    },
    /** Adds a request. If too many requests wait, rejects one of the network with the most of them. */
    add(key: string, request: WaitingRequest): void {
      const queue = queues.get(key) ?? [];
      queue.push(request);
      queues.set(key, queue);
      waiting += 1;
      for (const network of request.networks) network.waiting += 1;
      if (waiting > WAITING) rejectLongest();
    },
    remove: removeFromQueue,
    /**
     * Returns the request that may run next, which is the first one of the network with the most
     * budget among those that may run one. Null if there is none.
     */
    findNext(): QueuedRequest | null {
      let found: QueuedRequest | null = null;
      let most_ms = -Infinity;
      for (const [key, [request]] of queues) {
        const [subscriber] = request?.networks ?? [];
        if (!request || !subscriber) continue;
        const budget_ms = budgets.budgetOf(subscriber);
        if (budget_ms <= most_ms || !budgets.canRun(request.networks, key)) continue;
        found = { key, request };
        most_ms = budget_ms;
      }
      return found;
    },
    /** Yields the networks of the first request of each queue. */
    *firstNetworks(): Generator<Network> {
      for (const [request] of queues.values()) yield* request?.networks ?? [];
    },
  };
}
