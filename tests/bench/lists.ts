import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import autocannon from 'autocannon';
import { startBaseline } from './baseline.ts';
import { median } from './statistics.ts';

export interface ListFigures {
  readonly requestsPerSecond: number;
  readonly baselinePerSecond: number;
  /** Median of the rounds' own ratios; a round runs both, one after the other. */
  readonly ratio: number;
}

const CONNECTIONS = 32;
const ROUNDS = 5;
const ROUND_s = 4;

/** `GET /ads`, first page, at 32 connections, beside an Express handler in a process of its own that answers the same bytes from memory. */
export async function benchLists(root: string, url: string): Promise<ListFigures> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-baseline-'));
  const file = path.join(folder, 'page.json');
  await writeFile(file, Buffer.from(await (await fetch(`${url}/api/ads`)).arrayBuffer()));
  const baseline = await startBaseline(root, 'tests/bench/express-baseline.mjs', file);
  try {
    const targets = [`${url}/api/ads`, `${baseline.url}/api/ads`] as const;
    for (const target of targets) await rate(target);
    const rounds: { ours: number; theirs: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push({ ours: await rate(targets[0]), theirs: await rate(targets[1]) });
    return {
      requestsPerSecond: median(rounds.map(({ ours }) => ours)),
      baselinePerSecond: median(rounds.map(({ theirs }) => theirs)),
      ratio: median(rounds.map(({ ours, theirs }) => ours / theirs)),
    };
  } finally {
    baseline.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function rate(url: string): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({ url, connections: CONNECTIONS, duration: ROUND_s });
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx} refusals, ${errors} errors`);
  return requests.average;
}
