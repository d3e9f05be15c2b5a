import { setTimeout as pause } from 'node:timers/promises';
import type { ThreadAnswer } from '@alpenglow/domain';
import { createApiClient } from '../support/api-client.ts';
import { openRecording } from '../support/recording.ts';
import { threadRecorder, type ReplyToRecord } from '../support/threads.ts';
import { untilCaughtUp } from './generated-ads.ts';
import { httpClient } from './http-client.ts';
import type { RunningProduct } from './running-product.ts';
import { percentile } from './statistics.ts';

export interface PageFigures {
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** Latencies of reading one very long thread, beside others taken in turn with them. No address is asked for twice, so nothing comes from a cache of answers. */
export interface CommunityFigures {
  readonly firstPage: PageFigures;
  /** By cursors, from the first page to the last. */
  readonly cursorPage: PageFigures;
  readonly lastPage: PageFigures;
  /** As a member who is signed in. */
  readonly memberPage: PageFigures;
  readonly shortThread: PageFigures;
  readonly list: PageFigures;
  /** Of words that thousands of posts have. */
  readonly search: PageFigures;
  /** `GET /health`: what any answer takes. */
  readonly health: PageFigures;
  /** From the first reply appended until the read models had followed. */
  readonly built_s: number;
}

const REPLIES = 10_000;
const SHORT_REPLIES = 50;
const ROUNDS = 600;
const WARM_UP = 50;
const LOOK_EVERY_ms = 1_000;
const SENTENCES = [
  'The tea room by the park is *calm* in the evening.',
  'Say **beforehand** what you would like, and ask what the other one likes.',
  'I went there in spring: quiet, friendly, and not far from the station.',
  'Thank you for this!',
];

/** A thread of 10,000 replies, and one of 50, in a product that runs. */
export async function benchCommunity({ url, databaseUrl, dataDir }: RunningProduct): Promise<CommunityFigures> {
  const { token, user } = await createApiClient(url).signUp('client');
  const recording = await openRecording({ databaseUrl, dataDir });
  const http = httpClient({ connections: 2 });
  try {
    const threads = threadRecorder(recording);
    const replies = (count: number) =>
      Array.from({ length: count }, (_, index): ReplyToRecord => replyOf(index, user.id));
    const begun = performance.now();
    const long = await threads.start({ accountId: user.id, title: 'A very long thread' });
    const short = await threads.start({ accountId: user.id, title: 'A short thread' });
    await threads.reply(short.id, 1, replies(SHORT_REPLIES));
    await threads.reply(long.id, 1, replies(REPLIES));
    await untilCaughtUp(url);
    const built_s = (performance.now() - begun) / 1_000;
    await untilJobsAreDone(url);

    let asked = 0;
    const ask = async (path: string, took: number[], as?: string) => {
      asked += 1;
      const sent = performance.now();
      const { body } = await http.send(
        'GET',
        `${url}/api${path}${path.includes('?') ? '&' : '?'}asked=${asked}`,
        as === undefined ? {} : { token: as },
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
      await ask(`/community/threads/${long.id}`, took.firstPage);
      const page = await ask(
        `/community/threads/${long.id}${cursor === null ? '' : `?cursor=${cursor}`}`,
        took.cursorPage,
      );
      cursor = (JSON.parse(page.toString('utf8')) as ThreadAnswer).nextCursor;
      await ask(`/community/threads/${long.id}?post=last`, took.lastPage);
      await ask(`/community/threads/${long.id}?post=${1 + ((round * 7) % REPLIES)}`, took.memberPage, token);
      await ask(`/community/threads/${short.id}`, took.shortThread);
      await ask('/community/threads?state=NV&city=las-vegas', took.list);
      await ask(`/search?q=${round % 2 === 0 ? 'evening' : 'quiet+stat'}`, took.search);
      await ask('/health', took.health);
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

/** Nobody is mailed of these replies, but for each of them somebody looks. */
async function untilJobsAreDone(url: string): Promise<void> {
  while (/^jobs\{[^}]*state="(?:waiting|active)"[^}]*\} [1-9]/mu.test(await (await fetch(`${url}/metrics`)).text()))
    await pause(LOOK_EVERY_ms);
}

/** Of several sentences, by two members, every fifth one with a quote. */
function replyOf(index: number, accountId: string): ReplyToRecord {
  const body = `${Array.from({ length: 1 + (index % 5) }, (_, sentence) => SENTENCES[(index + sentence) % SENTENCES.length]).join(' ')}\n\nReply ${index + 1}.`;
  return {
    body,
    accountId: index % 2 === 0 ? accountId : 'somebody-else',
    quotedNumber: index % 5 === 0 ? index : null,
  };
}
