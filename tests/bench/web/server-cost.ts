import { percentile } from '../statistics.ts';

const PAGES = 600;
const WARM_UP = 60;

export interface ServerCost {
  /** Time from the request to the end of the HTML, for one request at a time. */
  readonly p99_ms: number;
  /** The number of pages that one core renders in one second, from the processor time of the process. */
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
  const before = process.cpuUsage();
  for (let number = 0; number < PAGES; number += 1) await request(WARM_UP + number);
  const { user, system } = process.cpuUsage(before);
  return { p99_ms: percentile(latencies_ms, 99), perSecondAndCore: PAGES / ((user + system) / 1_000_000) };
}
