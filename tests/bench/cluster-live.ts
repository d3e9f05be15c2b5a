import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bundleForNode } from '../support/bundle.mjs';
import type { TestCluster } from '../support/cluster.ts';
import { ended, gatherCrowd, type Crowd } from './cluster-crowd.ts';
import type { Meter } from './cluster-meter.ts';
import type { Writers } from './cluster-writers.ts';
import { cpuOf, memoryOf, openFilesLimit, type Memory } from './processes.ts';
import { median } from './statistics.ts';

export interface CrowdFigures {
  /** Bytes of the server's memory a client. */
  readonly memory: Memory;
  /** From the first client that has a message to the last. */
  readonly spread_ms: number;
  /** Processor microseconds of the server for one message to one client. */
  readonly send_us: number;
}

export interface LiveFigures {
  readonly clients: number;
  /** What was cut down because this process may not open as many files. Null when nothing was. */
  readonly restricted: string | null;
  readonly ours: CrowdFigures;
  readonly plain: CrowdFigures;
  /** Plain time ÷ ours: the median of the rounds' own ratios. */
  readonly ratio: number;
  readonly messageSize_bytes: number;
  /** The gateway's own share, for clients that come through it. */
  readonly gateway: { readonly clients: number; readonly memory: Memory; readonly send_us: number };
}

const LIVE_PATH = '/api/live';
/** Files a server has open beside its clients. */
const OTHER_FILES = 500;
/** Memory is read when what connecting left behind has been tidied up. */
const SETTLE_ms = 10_000;
const BETWEEN_ms = 300;

/** One query-api process with many WebSocket clients, beside a plain `ws` server that broadcasts the same bytes to as many, in turn. */
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
  const limit = await openFilesLimit();
  const clients = Math.min(wanted, limit - OTHER_FILES);
  // The gateway has two connections for each client.
  const throughGateway = Math.min(wanted, Math.floor((limit - OTHER_FILES) / 2));
  const queryApi = cluster.members.find(({ service }) => service === 'query-api');
  const gateway = cluster.members.find(({ service }) => service === 'gateway');
  if (!queryApi || !gateway) throw new Error('The cluster has no query-api or no gateway');
  const crowdBundle = await bundleForNode(path.join(root, 'tests/bench/cluster-crowd-process.ts'));
  const baseline = fork(path.join(root, 'tests/bench/broadcast-baseline.mjs'), {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const crowds: Crowd[] = [];
  try {
    const [port] = (await once(baseline, 'message')) as [number];

    /** Gathers a crowd; `memory` says what a client has cost the process since. */
    async function gather(
      pid: number,
      place: { port: number; path: string; count: number },
    ): Promise<{ crowd: Crowd; memory(): Promise<Memory> }> {
      const before = await memoryOf([pid]);
      const crowd = await gatherCrowd(crowdBundle.path, place);
      crowds.push(crowd);
      return {
        crowd,
        async memory() {
          await pause(SETTLE_ms);
          const after = await memoryOf([pid]);
          return { rss: (after.rss - before.rss) / place.count, pss: (after.pss - before.pss) / place.count };
        },
      };
    }
    // What they did before has left memory that clients would be put into unseen.
    await queryApi.restart();
    await gateway.restart();
    await pause(SETTLE_ms);
    const ours = await gather(queryApi.pid() ?? 0, { port: queryApi.port, path: LIVE_PATH, count: clients });
    const oursMemory = await ours.memory();
    const plain = await gather(baseline.pid ?? 0, { port, path: '/', count: clients });
    const plainMemory = await plain.memory();

    const tellOurs = async (crowd: Crowd, messages = 1) => {
      const { arrived } = await crowd.expect(messages);
      for (let n = 0; n < messages; n += 1) await writer.write();
      return arrived();
    };
    const tellPlain = async (text: string, messages = 1) => {
      const { arrived } = await plain.crowd.expect(messages);
      for (let n = 0; n < messages; n += 1) baseline.send(text);
      return arrived();
    };
    // The first messages find code that was not compiled yet.
    const { text } = await tellOurs(ours.crowd, burst);
    await tellPlain(text, burst);

    const spreads: { ours_ms: number; plain_ms: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { spread_ms: ours_ms } = await tellOurs(ours.crowd);
      await pause(BETWEEN_ms);
      const { spread_ms: plain_ms } = await tellPlain(text);
      await pause(BETWEEN_ms);
      spreads.push({ ours_ms, plain_ms });
    }

    const sends = burst * clients;
    const oursUsed = await meter.during(() => tellOurs(ours.crowd, burst));
    const plainBefore_s = await cpuOf(baseline.pid ?? 0);
    await tellPlain(text, burst);
    const plain_s = (await cpuOf(baseline.pid ?? 0)) - plainBefore_s;
    await ours.crowd.close();
    await plain.crowd.close();
    await pause(SETTLE_ms);

    const hop = await gather(gateway.pid() ?? 0, { port: gateway.port, path: LIVE_PATH, count: throughGateway });
    const hopMemory = await hop.memory();
    await tellOurs(hop.crowd, burst);
    const hopUsed = await meter.during(() => tellOurs(hop.crowd, burst));
    await hop.crowd.close();

    return {
      clients,
      restricted:
        clients < wanted || throughGateway < wanted
          ? `a process may have ${limit} files open: ${clients} clients of query-api, ${throughGateway} of the gateway`
          : null,
      ours: {
        memory: oursMemory,
        spread_ms: median(spreads.map(({ ours_ms }) => ours_ms)),
        send_us: perSend_us(oursUsed.cpu_s['query-api'], sends),
      },
      plain: {
        memory: plainMemory,
        spread_ms: median(spreads.map(({ plain_ms }) => plain_ms)),
        send_us: perSend_us(plain_s, sends),
      },
      ratio: median(spreads.map(({ ours_ms, plain_ms }) => plain_ms / ours_ms)),
      messageSize_bytes: Buffer.byteLength(text),
      gateway: {
        clients: throughGateway,
        memory: hopMemory,
        send_us: perSend_us(hopUsed.cpu_s['gateway'], burst * throughGateway),
      },
    };
  } finally {
    await Promise.all(crowds.map((crowd) => crowd.close().catch(() => undefined)));
    await ended(baseline);
    await crowdBundle.remove();
  }
}

const perSend_us = (cpu_s: number | undefined, sends: number) => ((cpu_s ?? 0) * 1e6) / sends;
