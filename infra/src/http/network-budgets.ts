import { limitByNetwork } from './client-address.ts';

/** The part of the processor cores that one network may use permanently while other networks are active. */
const SHARE = 0.25;
/** The unused budget that a network can save, per core. It is enough for several pages with all their requests. */
const SAVED_ms = 1_000;
/** The number of requests of a network that run at a time. It falls to 1 while the network uses up its budget. */
const RUNNING_OF_NETWORK = 4;
/** A network may run one more request at a time for each such part of its budget. */
const BUDGET_PER_RUNNING_ms = 250;
/**
 * The maximum cost of a request. A longer request probably waits for a slow service. While Postgres is slow, this
 * applies to all requests, and an ordinary visitor must not run out of budget because of that.
 */
const COST_LIMIT_ms = 100;
/** The time after which a network no longer counts as active. */
const ACTIVE_ms = 10_000;
/** If more networks are stored than this, those with a full budget are deleted. */
const STORED_NETWORKS = 10_000;

/** A network from which requests come, and the state of its budget. */
export interface Network {
  readonly key: string;
  /** 4 for a /48 network of IPv6, which may have several subscribers. */
  readonly factor: number;
  budget_ms: number;
  updated_ms: number;
  readonly running: Set<RunningTurn>;
  /** The number of its waiting requests. (waiting-requests.ts) */
  waiting: number;
}

/** A running request. */
export interface RunningTurn {
  /** The time of the start, or of the last charge. */
  started_ms: number;
  /** The cost before that time. */
  charged_ms: number;
}

export type NetworkBudgets = ReturnType<typeof createNetworkBudgets>;

interface NetworkBudgetsOptions {
  readonly cores: number;
  readonly now: () => number;
}

/**
 * Owns the networks and their budgets of cost, and which networks were active last. Invariant: while
 * only one network is active, its debt does not grow, and its budget does not limit its requests.
 */
export function createNetworkBudgets({ cores, now }: NetworkBudgetsOptions) {
  const growth = SHARE * cores;
  const saved_ms = SAVED_ms * cores;
  const networks = new Map<string, Network>();
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

  function charge(network: Network, key: string, cost_ms: number): void {
    budgetOf(network);
    // A debt is limited, so that a network can continue soon. The debt of a network that is alone does not grow.
    const least_ms = isAlone(key) ? Math.min(0, network.budget_ms) : -saved_ms * network.factor;
    network.budget_ms = Math.max(least_ms, network.budget_ms - cost_ms);
  }

  const isAlone = (key: string) => now() - (latest.key === key ? latestOther : latest).at_ms > ACTIVE_ms;

  function forgetUnused(): void {
    const now_ms = now();
    if (networks.size <= STORED_NETWORKS || now_ms - swept_ms < ACTIVE_ms) return;
    swept_ms = now_ms;
    for (const [key, network] of networks)
      if (network.waiting === 0 && network.running.size === 0 && budgetOf(network) >= saved_ms * network.factor)
        networks.delete(key);
  }

  return {
    budgetOf,
    /** Returns the networks of an address, the subscriber's network first, and records the arrival of a request. */
    recordArrival(address: string | undefined): readonly Network[] {
      forgetUnused();
      const own = limitByNetwork(address, 1).map(({ network, max }) => findNetwork(network, max));
      const key = own[0]?.key ?? '';
      if (latest.key !== key) latestOther = latest;
      latest = { key, at_ms: now() };
      return own;
    },
    /** Adds a cost to the network. `key` is the key of the subscriber's network. */
    charge,
    /** Adds the cost of a turn since its last charge to its networks. */
    chargeTurn(turn: RunningTurn, own: readonly Network[], key: string): void {
      const now_ms = now();
      const cost_ms = costOf(turn, now_ms);
      for (const network of own) charge(network, key, cost_ms);
      turn.started_ms = now_ms;
      turn.charged_ms += cost_ms;
    },
    /** Returns true if the networks may run one more request now. */
    canRun(own: readonly Network[], key: string): boolean {
      const isLimited = !isAlone(key);
      return own.every((network) => hasRoom(network, isLimited ? () => budgetOf(network) : null));
    },
    /** Returns the time until one of these networks has budget again. */
    timeUntilBudget_ms(waiting: Iterable<Network>): number {
      let least_ms = ACTIVE_ms;
      for (const network of waiting) {
        const missing_ms = network.running.size * BUDGET_PER_RUNNING_ms - budgetOf(network);
        if (missing_ms >= 0) least_ms = Math.min(least_ms, missing_ms / (growth * network.factor));
      }
      return least_ms;
    },
  };
}

/** Returns the cost of a turn that is not charged yet. */
const costOf = ({ started_ms, charged_ms }: RunningTurn, now_ms: number) =>
  Math.min(now_ms - started_ms, COST_LIMIT_ms - charged_ms);

/** Returns true if a network may run one more request. `budgetOf` is null if its budget does not count. */
function hasRoom(network: Network, budgetOf: (() => number) | null): boolean {
  if (network.running.size >= RUNNING_OF_NETWORK * network.factor) return false;
  if (!budgetOf) return true;
  const budget_ms = budgetOf();
  return budget_ms > 0 && network.running.size <= budget_ms / BUDGET_PER_RUNNING_ms;
}
