import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bundleForNode } from '../tests/support/bundle.mjs';
import type { TestCluster } from '../tests/support/cluster.ts';
import { connectCrowd, type Crowd } from './cluster-crowd.ts';
import type { Meter } from './cluster-meter.ts';
import type { Writers } from './cluster-writers.ts';
import { readMemory, readOpenFilesLimit, type Memory } from '../tests/support/process-usage.ts';
import { median } from './statistics.ts';

export interface LiveFigures {
  readonly clients: number;
  /**
   * Reason why the number of clients was reduced, or null. The number is reduced if the limit of open files per process
   * is too low for all connections.
   */
  readonly restricted: string | null;
  /** Memory of query-api in bytes per connected client. */
  readonly memory: Memory;
  /** Time in milliseconds between the arrival of a message at the first client and at the last client. */
  readonly spread_ms: number;
  /** Processor time of query-api in microseconds per message and client. */
  readonly send_us: number;
  /** Additional costs of the gateway for clients that connect through it. */
  readonly gateway: { readonly clients: number; readonly memory: Memory; readonly send_us: number };
}

const LIVE_PATH = '/api/live';
/** Number of files that a server opens in addition to the connections of its clients. */
const OTHER_FILES = 500;
/** Pause before memory is measured. In this time, the garbage collector frees memory from opening the connections. */
const SETTLE_ms = 10_000;
const BETWEEN_ms = 300;

/**
 * Measures one query-api process with many WebSocket clients, and the gateway when clients connect through it.
 */
export async function benchLive({
  root,
  cluster,
  meter,
  writer,
  wanted,
  rounds,
  burst,
}: {
  root: string;
  cluster: TestCluster;
  meter: Meter;
  writer: Pick<Writers, 'write'>;
  wanted: number;
  rounds: number;
  burst: number;
}): Promise<LiveFigures> {
  const limit = await readOpenFilesLimit();
  const clients = Math.min(wanted, limit - OTHER_FILES);
  // The gateway needs two connections for each client, so it can have only half as many clients.
  const throughGateway = Math.min(wanted, Math.floor((limit - OTHER_FILES) / 2));
  const queryApi = cluster.members.find(({ service }) => service === 'query-api');
  const gateway = cluster.members.find(({ service }) => service === 'gateway');
  if (!queryApi || !gateway) throw new Error('The cluster has no query-api or no gateway');
  const crowdBundle = await bundleForNode(path.join(root, 'bench/cluster-crowd-process.ts'));
  const crowds: Crowd[] = [];
  try {
    /** Connects clients to the process `pid`. `memory` returns the additional memory of this process per client. */
    async function connectClients(
      pid: number,
      target: { port: number; path: string; count: number },
    ): Promise<{ crowd: Crowd; memory(): Promise<Memory> }> {
      const before = await readMemory([pid]);
      const crowd = await connectCrowd(crowdBundle.path, target);
      crowds.push(crowd);
      return {
        crowd,
        async memory() {
          await pause(SETTLE_ms);
          const after = await readMemory([pid]);
          return { rss: (after.rss - before.rss) / target.count, pss: (after.pss - before.pss) / target.count };
        },
      };
    }
    // A restart returns free memory to the operating system. Otherwise, new clients could use this free memory, and
    // their memory use would not be measurable.
    await queryApi.restart();
    await gateway.restart();
    await pause(SETTLE_ms);
    const ours = await connectClients(queryApi.pid() ?? 0, { port: queryApi.port, path: LIVE_PATH, count: clients });
    const memory = await ours.memory();

    const broadcast = async (crowd: Crowd, messages = 1) => {
      const { arrived } = await crowd.expectMessages(messages);
      for (let n = 0; n < messages; n += 1) await writer.write();
      return arrived();
    };
    // The first messages are a warm-up, because they run code that is not compiled yet.
    await broadcast(ours.crowd, burst);

    const spreads_ms: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      spreads_ms.push((await broadcast(ours.crowd)).spread_ms);
      await pause(BETWEEN_ms);
    }

    const used = await meter.measure(() => broadcast(ours.crowd, burst));
    await ours.crowd.close();
    await pause(SETTLE_ms);

    const throughHop = await connectClients(gateway.pid() ?? 0, {
      port: gateway.port,
      path: LIVE_PATH,
      count: throughGateway,
    });
    const hopMemory = await throughHop.memory();
    await broadcast(throughHop.crowd, burst);
    const hopUsed = await meter.measure(() => broadcast(throughHop.crowd, burst));
    await throughHop.crowd.close();

    return {
      clients,
      restricted:
        clients < wanted || throughGateway < wanted
          ? `a process may have ${limit} files open: ${clients} clients of query-api, ${throughGateway} of the gateway`
          : null,
      memory,
      spread_ms: median(spreads_ms),
      send_us: perSend_us(used.cpu_s['query-api'], burst * clients),
      gateway: {
        clients: throughGateway,
        memory: hopMemory,
        send_us: perSend_us(hopUsed.cpu_s['gateway'], burst * throughGateway),
      },
    };
  } finally {
    await Promise.all(crowds.map((crowd) => crowd.close().catch(() => undefined)));
    await crowdBundle.remove();
  }
}

const perSend_us = (cpu_s: number | undefined, sends: number) => ((cpu_s ?? 0) * 1e6) / sends;
