import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { processTreeOf, readCommandLine, readOwnCpuTime } from '../../tests/support/process-usage.ts';
import { percentile } from '../statistics.ts';

const PAGES = 600;
/** V8 compiles most of the rendering code after some hundred pages, so a server in use is faster than a new one. */
const WARM_UP = 400;

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
 * Measures the server in this process. The client is a separate process, so that its processor time does not count.
 * @param root folder of the checkout
 */
export async function measureServer(root: string, origin: string, paths: readonly string[]): Promise<ServerCost> {
  const program = path.join(root, 'bench/web/request-pages.mjs');
  const request = async (first: number, count: number) => {
    const client = fork(program, [origin, JSON.stringify(paths), String(first), String(count)], { execArgv: [] });
    const failed = once(client, 'exit').then(() => Promise.reject(new Error('The client ended without a result')));
    const [latencies_ms] = (await Promise.race([once(client, 'message'), failed])) as [number[]];
    failed.catch(() => undefined);
    return latencies_ms;
  };
  await request(0, WARM_UP);
  const before_s = await readServerCpuTime();
  const latencies_ms = await request(WARM_UP, PAGES);
  const cpu_s = (await readServerCpuTime()) - before_s;
  return { p99_ms: percentile(latencies_ms, 99), perSecondAndCore: PAGES / cpu_s };
}

/** Returns the processor seconds of this process and of the processes that render pages. */
async function readServerCpuTime(): Promise<number> {
  const descendants = await processTreeOf([process.pid]);
  const commands = await Promise.all(descendants.map(readCommandLine));
  const pids = descendants.filter(
    (pid, index) => pid === process.pid || commands[index]?.includes('server/server.cjs'),
  );
  const times_s = await Promise.all(pids.map(readOwnCpuTime));
  return times_s.reduce((sum, time_s) => sum + time_s, 0);
}
