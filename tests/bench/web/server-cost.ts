import { readFile } from 'node:fs/promises';
import { processTreeOf, readOwnCpuTime } from '../processes.ts';
import { percentile } from '../statistics.ts';

const PAGES = 600;
const WARM_UP = 60;

export interface ServerCost {
  /** Time from the request to the end of the HTML, for one request at a time. */
  readonly p99_ms: number;
  /**
   * The number of pages that one core renders in one second. It is calculated from the processor time of this process
   * and of the processes that render pages.
   */
  readonly perSecondAndCore: number;
}

/**
 * Requests pages one after the other from a server in this process. Each URL is different, so that no page comes from
 * the cache of pages.
 */
export async function measureServer(origin: string, paths: readonly string[]): Promise<ServerCost> {
  const latencies_ms: number[] = [];
  const request = async (number: number) => {
    const url = new URL(paths[number % paths.length] ?? '/', origin);
    url.searchParams.set('visit', String(number));
    const start_ms = performance.now();
    const response = await fetch(url, { headers: { accept: 'text/html', 'accept-encoding': 'br' } });
    const html = await response.text();
    if (!html.includes('data-rendered-at')) throw new Error(`The server did not render ${url.pathname}`);
    latencies_ms.push(performance.now() - start_ms);
  };
  for (let number = 0; number < WARM_UP; number += 1) await request(number);
  latencies_ms.length = 0;
  const before_s = await readServerCpuTime();
  for (let number = 0; number < PAGES; number += 1) await request(WARM_UP + number);
  const cpu_s = (await readServerCpuTime()) - before_s;
  return { p99_ms: percentile(latencies_ms, 99), perSecondAndCore: PAGES / cpu_s };
}

/** Returns the processor seconds of this process and of the processes that render pages. */
async function readServerCpuTime(): Promise<number> {
  const descendants = await processTreeOf([process.pid]);
  const commands = await Promise.all(
    descendants.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  const pids = descendants.filter(
    (pid, index) => pid === process.pid || commands[index]?.includes('server/server.cjs'),
  );
  const times_s = await Promise.all(pids.map(readOwnCpuTime));
  return times_s.reduce((sum, time_s) => sum + time_s, 0);
}
