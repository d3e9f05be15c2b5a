import { availableParallelism } from 'node:os';
import { createNetworkBudgets, type Network, type RunningTurn } from './network-budgets.ts';
import { BusyError, createWaitingRequests, type WaitingRequest } from './waiting-requests.ts';

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
/** The cost of the work before and after the turn of a request. */
const FIXED_COST_ms = 0.5;
const WAIT_LIMIT_ms = 10_000;
const MIN_TIMER_ms = 1;

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
  const budgets = createNetworkBudgets({ cores, now });
  const waiting = createWaitingRequests(budgets);
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  const hasSlots = () => running < RUNNING_PER_CORE * cores;

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
    const addCost = () => budgets.chargeTurn(turn, own, key);
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
      budgets.charge(network, key, FIXED_COST_ms);
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

  /** Starts the requests that may run now. If others wait only for budget, a timer calls this function again. */
  function dispatch(): void {
    clearTimeout(timer);
    while (hasSlots()) {
      const next = waiting.findNext();
      if (!next) break;
      waiting.remove(next.key, next.request);
      next.request.start();
    }
    if (waiting.isEmpty() || !hasSlots()) return;
    const wait_ms = budgets.timeUntilBudget_ms(waiting.firstNetworks());
    timer = setTimeout(dispatch, Math.max(MIN_TIMER_ms, Math.ceil(wait_ms)));
  }

  return {
    async enter(address, signal) {
      signal?.throwIfAborted();
      const own = budgets.recordArrival(address);
      const key = own[0]?.key ?? '';
      if (hasSlots() && !waiting.has(key) && budgets.canRun(own, key)) return createTurn(key, own);
      waiting.requireRoom(own);
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
          waiting.remove(key, request);
          request.reject(signal?.reason as Error);
        };
        const limit = setTimeout(() => {
          waiting.remove(key, request);
          request.reject(new BusyError());
        }, WAIT_LIMIT_ms).unref();
        signal?.addEventListener('abort', cancel, { once: true });
        waiting.add(key, request);
        dispatch();
      });
    },
  };
}
