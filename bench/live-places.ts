import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { bundleForNode } from '../tests/support/bundle.mjs';
import { tokenOf } from '../tests/support/live-channel.ts';
import { connectCrowd, endChildProcess, type Crowd } from './cluster-crowd.ts';
import type { LiveServerCommand } from './live-places-server.ts';
import { readOpenFilesLimit } from '../tests/support/process-usage.ts';
import { median } from './statistics.ts';

export interface LivePlacesFigures {
  readonly clients: number;
  readonly places: number;
  /** Messages per second of processor time of the server that are sent to all clients. */
  readonly broadcastPerCpu_s: number;
  /** Messages per second of processor time of the server that are sent to the clients of their place. */
  readonly placesPerCpu_s: number;
  /** Median over the rounds of the number of messages by place divided by the number of broadcast messages. */
  readonly ratio: number;
  /** Time in which a new process accepts all clients at once and resumes them, in seconds. */
  readonly reconnect_s: number;
  /** Processor time of the new process in this time, in seconds. */
  readonly reconnectCpu_s: number;
}

const WANTED_clients = 10_000;
const PLACES = 200;
const ROUNDS = 3;
/** Files that a process opens in addition to the connections. */
const OTHER_FILES = 500;
const BROADCAST_messages = 30;
const PLACE_messages = 4_000;
/** Messages that the clients have missed during the restart. */
const MISSED_messages = 50;

/**
 * Measures one process of the live channel with many clients that display different places. Compares it in the same run
 * with a broadcast to all clients. Then restarts the process, and all clients connect again at once.
 */
export async function benchLivePlaces(root: string): Promise<LivePlacesFigures> {
  const clients = Math.min(WANTED_clients, (await readOpenFilesLimit()) - OTHER_FILES);
  const serverBundle = await bundleForNode(path.join(root, 'bench/live-places-server.ts'));
  const crowdBundle = await bundleForNode(path.join(root, 'bench/cluster-crowd-process.ts'));
  const servers: ChildProcess[] = [];
  const crowds: Crowd[] = [];

  async function startServer(
    stored: number,
  ): Promise<{ port: number; send(command: LiveServerCommand): Promise<number> }> {
    const child = fork(serverBundle.path, [`${PLACES}`, `${stored}`], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    servers.push(child);
    const [port] = (await once(child, 'message')) as [number];
    return {
      port,
      async send(command) {
        const replied = once(child, 'message') as Promise<[{ cpu_ms: number }]>;
        child.send(command);
        return (await replied)[0].cpu_ms;
      },
    };
  }
  async function connect(port: number, query: string): Promise<Crowd> {
    const crowd = await connectCrowd(crowdBundle.path, { port, path: `/api/live${query}`, count: clients });
    crowds.push(crowd);
    return crowd;
  }

  try {
    const server = await startServer(0);
    /** Publishes messages and returns the number of messages per second of processor time. */
    async function measure(messages: number, expected: Promise<{ arrived(): Promise<unknown> }>): Promise<number> {
      const { arrived } = await expected;
      const before_ms = await server.send({ do: 'cpu' });
      await server.send({ do: 'publish', messages });
      await arrived();
      return (messages * 1_000) / ((await server.send({ do: 'cpu' })) - before_ms);
    }
    const rounds: { readonly broadcast: number; readonly places: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each round has new clients, because clients with topics cannot receive a plain broadcast again.
      const crowd = await connect(server.port, '');
      const broadcast = () => measure(BROADCAST_messages, crowd.expectMessages(BROADCAST_messages));
      const byPlace = () => measure(PLACE_messages, crowd.expectTotal((PLACE_messages * clients) / PLACES));
      // The first messages are a warm-up, because they run code that is not compiled yet.
      if (round === 0) await broadcast();
      const all = await broadcast();
      await crowd.subscribe(PLACES);
      if (round === 0) await byPlace();
      rounds.push({ broadcast: all, places: await byPlace() });
      await crowd.close();
    }

    // The new process has stored the messages that the clients have missed, but has none of them in memory.
    const restarted = await startServer(MISSED_messages + 1);
    const before_ms = await restarted.send({ do: 'cpu' });
    const started_ms = performance.now();
    const crowd = await connect(restarted.port, `?topics=none&since=${tokenOf(1)}`);
    await crowd.subscribe(PLACES);
    const reconnect_s = (performance.now() - started_ms) / 1_000;
    return {
      clients,
      places: PLACES,
      broadcastPerCpu_s: median(rounds.map(({ broadcast }) => broadcast)),
      placesPerCpu_s: median(rounds.map(({ places }) => places)),
      ratio: median(rounds.map(({ broadcast, places }) => places / broadcast)),
      reconnect_s,
      reconnectCpu_s: ((await restarted.send({ do: 'cpu' })) - before_ms) / 1_000,
    };
  } finally {
    await Promise.all(crowds.map((crowd) => crowd.close().catch(() => undefined)));
    await Promise.all(servers.map(endChildProcess));
    await serverBundle.remove();
    await crowdBundle.remove();
  }
}
