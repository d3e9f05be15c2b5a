import { createApiClient } from '../support/api-client.ts';
import { connectLive } from '../support/live.ts';
import { percentile } from './statistics.ts';

export interface LatencyFigures {
  readonly toListP50_ms: number;
  readonly toListP99_ms: number;
  readonly toLiveP50_ms: number;
  readonly toLiveP99_ms: number;
}

export interface PostToLiveFigures {
  /** From the sending of the request to the message. */
  readonly sentP50_ms: number;
  readonly sentP99_ms: number;
  /** From its answer; 0 for a message that comes before. */
  readonly answeredP50_ms: number;
  readonly answeredP99_ms: number;
}

const ADS = 300;
const WARM_UP = 20;

/**
 * From the answer of `POST /ads` to the ad in `GET /ads`, asked again and again, and to the message on an open WebSocket. A message
 * that comes before the answer counts as 0.
 */
export async function benchLatency(url: string, ads = ADS): Promise<LatencyFigures> {
  const api = createApiClient(url);
  const live = await connectLive(url);
  const toList: number[] = [];
  const toLive: number[] = [];
  for (let n = 0; n < WARM_UP + ads; n += 1) {
    const { token } = await api.signUp('provider');
    const arrived = live.messages.length;
    const told = live
      .next((message) => message.type === 'ad_created' && live.messages.indexOf(message) >= arrived)
      .then(() => performance.now());
    const { id } = await api.postAd(token);
    const answered = performance.now();
    for (;;) {
      const list = await api.call('GET', '/api/ads');
      if ((list.body['data'] as { id: string }[]).some((ad) => ad.id === id)) break;
    }
    const listed = performance.now();
    const live_ms = Math.max(0, (await told) - answered);
    if (n < WARM_UP) continue;
    toList.push(listed - answered);
    toLive.push(live_ms);
  }
  live.close();
  return {
    toListP50_ms: percentile(toList, 50),
    toListP99_ms: percentile(toList, 99),
    toLiveP50_ms: percentile(toLive, 50),
    toLiveP99_ms: percentile(toLive, 99),
  };
}

/** From `POST /ads` to the message on an open WebSocket, with nobody else asking for anything. */
export async function benchPostToLive(url: string, ads = ADS): Promise<PostToLiveFigures> {
  const api = createApiClient(url);
  const live = await connectLive(url);
  const sent: number[] = [];
  const answered: number[] = [];
  for (let n = 0; n < WARM_UP + ads; n += 1) {
    const { token } = await api.signUp('provider');
    const arrived = live.messages.length;
    const told = live
      .next((message) => message.type === 'ad_created' && live.messages.indexOf(message) >= arrived)
      .then(() => performance.now());
    const sent_ms = performance.now();
    await api.postAd(token);
    const answered_ms = performance.now();
    const told_ms = await told;
    if (n < WARM_UP) continue;
    sent.push(told_ms - sent_ms);
    answered.push(Math.max(0, told_ms - answered_ms));
  }
  live.close();
  return {
    sentP50_ms: percentile(sent, 50),
    sentP99_ms: percentile(sent, 99),
    answeredP50_ms: percentile(answered, 50),
    answeredP99_ms: percentile(answered, 99),
  };
}
