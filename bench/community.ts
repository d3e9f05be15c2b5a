import { setTimeout as pause } from 'node:timers/promises';
import type { ThreadResponse } from '@alpenglow/domain';
import { createApiClient } from '../tests/support/api-client.ts';
import { openRecording } from '../tests/support/recording.ts';
import { threadRecorder, type ReplyToRecord } from '../tests/support/threads.ts';
import { waitUntilCaughtUp } from './generated-ads.ts';
import { createHttpClient } from './http-client.ts';
import type { RunningProduct } from './running-product.ts';
import { percentile } from './statistics.ts';
import { METRICS_TOKEN } from '../tests/support/product.ts';

interface PageFigures {
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/**
 * Latencies of requests for a community thread with 10,000 replies, and of other requests that are sent in between.
 * Each URL is requested only once, so no response comes from a cache.
 */
export interface CommunityFigures {
  readonly firstPage: PageFigures;
  /** Latencies of all pages of the thread in order. Each page is requested with the cursor of the previous page. */
  readonly cursorPage: PageFigures;
  readonly lastPage: PageFigures;
  /** Latencies of pages for a signed-in member. */
  readonly memberPage: PageFigures;
  readonly shortThread: PageFigures;
  readonly list: PageFigures;
  /** Latencies of searches for words that occur in thousands of posts. */
  readonly search: PageFigures;
  /** Latencies of `GET /health`, which show the minimum latency of a response. */
  readonly health: PageFigures;
  /** Seconds from the first appended reply until the read models are up to date. */
  readonly built_s: number;
}

const REPLIES = 10_000;
const SHORT_REPLIES = 50;
const ROUNDS = 600;
const WARM_UP = 50;
const POLL_INTERVAL_ms = 1_000;
const SENTENCES = [
  'The tea room by the park is *calm* in the evening.',
  'Say **beforehand** what you would like, and ask what the other one likes.',
  'I went there in spring: quiet, friendly, and not far from the station.',
  'Thank you for this!',
];

/**
 * Measures requests for two community threads in a running product, one with 10,000 replies and one with 50 replies.
 */
export async function benchCommunity({ url, databaseUrl, dataDir }: RunningProduct): Promise<CommunityFigures> {
  const { token, user } = await createApiClient(url).signUp('client');
  const recording = await openRecording({ databaseUrl, dataDir });
  const http = createHttpClient({ connections: 2 });
  try {
    const threads = threadRecorder(recording);
    const replies = (count: number) =>
      Array.from({ length: count }, (_, index): ReplyToRecord => createReply(index, user.id));
    const started_ms = performance.now();
    const long = await threads.start({ accountId: user.id, title: 'A very long thread' });
    const short = await threads.start({ accountId: user.id, title: 'A short thread' });
    await threads.reply(short.id, 1, replies(SHORT_REPLIES));
    await threads.reply(long.id, 1, replies(REPLIES));
    await waitUntilCaughtUp(url);
    const built_s = (performance.now() - started_ms) / 1_000;
    await waitForJobs(url);

    let requestCount = 0;
    const sendRequest = async (path: string, took: number[], memberToken?: string) => {
      requestCount += 1;
      const sent = performance.now();
      const { body } = await http.send(
        'GET',
        `${url}/api${path}${path.includes('?') ? '&' : '?'}asked=${requestCount}`,
        memberToken === undefined ? {} : { token: memberToken },
      );
      took.push(performance.now() - sent);
      return body;
    };
    const took = {
      firstPage: [],
      cursorPage: [],
      lastPage: [],
      memberPage: [],
      shortThread: [],
      list: [],
      search: [],
      health: [],
    } as Record<keyof Omit<CommunityFigures, 'built_s'>, number[]>;
    let cursor: string | null = null;
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      if (round === WARM_UP) for (const values of Object.values(took)) values.length = 0;
      await sendRequest(`/community/threads/${long.id}`, took.firstPage);
      const page = await sendRequest(
        `/community/threads/${long.id}${cursor === null ? '' : `?cursor=${cursor}`}`,
        took.cursorPage,
      );
      cursor = (JSON.parse(page.toString('utf8')) as ThreadResponse).nextCursor;
      await sendRequest(`/community/threads/${long.id}?post=last`, took.lastPage);
      await sendRequest(`/community/threads/${long.id}?post=${1 + ((round * 7) % REPLIES)}`, took.memberPage, token);
      await sendRequest(`/community/threads/${short.id}`, took.shortThread);
      await sendRequest('/community/threads?state=NV&city=las-vegas', took.list);
      await sendRequest(`/search?q=${round % 2 === 0 ? 'evening' : 'quiet+stat'}`, took.search);
      await sendRequest('/health', took.health);
    }
    const figures = Object.fromEntries(
      Object.entries(took).map(([name, values]) => [
        name,
        { p50_ms: percentile(values, 50), p99_ms: percentile(values, 99) },
      ]),
    );
    return { ...(figures as unknown as Record<keyof typeof took, PageFigures>), built_s };
  } finally {
    http.close();
    await recording.close();
  }
}

/** Waits until no job is waiting or active. Every reply enqueues a job, although no e-mail is sent. */
async function waitForJobs(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const readMetrics = async () => (await fetch(`${url}/metrics`, { headers })).text();
  while (/^jobs\{[^}]*state="(?:waiting|active)"[^}]*\} [1-9]/mu.test(await readMetrics()))
    await pause(POLL_INTERVAL_ms);
}

/** Returns a reply of one to five sentences. Two members write alternately, and every fifth reply quotes a post. */
function createReply(index: number, accountId: string): ReplyToRecord {
  const sentences = Array.from({ length: 1 + (index % 5) }, (_, n) => SENTENCES[(index + n) % SENTENCES.length]);
  const body = `${sentences.join(' ')}\n\nReply ${index + 1}.`;
  return {
    body,
    accountId: index % 2 === 0 ? accountId : 'somebody-else',
    quotedNumber: index % 5 === 0 ? index : null,
  };
}
