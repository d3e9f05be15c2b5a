import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startBaseline } from './baseline.ts';
import { runClosedLoop } from './closed-loop.ts';
import { createHttpClient } from './http-client.ts';
import { median } from './statistics.ts';

const CONNECTIONS = 32;
const ROUNDS = 5;
const ROUND_ms = 4_000;

/**
 * Measures the first page of `GET /ads` over 32 connections. The baseline is an Express handler in a separate process
 * that returns the same bytes from memory. Returns the requests per second of the product divided by those of the
 * baseline: the median of all rounds, in which both are measured one after the other.
 */
export async function benchLists(root: string, url: string): Promise<number> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-baseline-'));
  const file = path.join(folder, 'page.json');
  await writeFile(file, Buffer.from(await (await fetch(`${url}/api/ads`)).arrayBuffer()));
  const baseline = await startBaseline(root, 'bench/express-baseline.mjs', file);
  try {
    const targets = [`${url}/api/ads`, `${baseline.url}/api/ads`] as const;
    for (const target of targets) await measureRate(target);
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      ratios.push((await measureRate(targets[0])) / (await measureRate(targets[1])));
    return median(ratios);
  } finally {
    baseline.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureRate(url: string): Promise<number> {
  const http = createHttpClient({ connections: CONNECTIONS });
  try {
    const work = () => http.send('GET', url);
    return (await runClosedLoop(work, { workers: CONNECTIONS, duration_ms: ROUND_ms })).perSecond;
  } finally {
    http.close();
  }
}
