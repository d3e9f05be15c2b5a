import { createApiClient } from '../tests/support/api-client.ts';
import { connectLive } from '../tests/support/live.ts';
import { percentile } from './statistics.ts';

export interface LatencyFigures {
  readonly toListP50_ms: number;
  readonly toListP99_ms: number;
  readonly toLiveP50_ms: number;
  readonly toLiveP99_ms: number;
}

export interface PostToLiveFigures {
  /** Milliseconds from sending a request until its live message arrives. */
  readonly sentP50_ms: number;
  readonly sentP99_ms: number;
  /** Milliseconds from the response until the live message arrives. It is 0 if the message arrives first. */
  readonly afterResponseP50_ms: number;
  readonly afterResponseP99_ms: number;
}

const ADS = 300;
const WARM_UP = 20;

/**
 * Measures the time from the response of `POST /ads` until polling `GET /ads` returns the ad. Also measures the time
 * until the message arrives on an open WebSocket. That time is 0 if the message arrives before the response.
 */
export async function benchLatency(url: string, ads = ADS): Promise<LatencyFigures> {
  const api = createApiClient(url);
  const live = await connectLive(url);
  const toList: number[] = [];
  const toLive: number[] = [];
  for (let n = 0; n < WARM_UP + ads; n += 1) {
    const { token } = await api.signUp('provider');
    const arrived = live.messages.length;
    const notified = live
      .next((message) => message.type === 'ad_created' && live.messages.indexOf(message) >= arrived)
      .then(() => performance.now());
    const { id } = await api.postAd(token);
    const responded = performance.now();
    for (;;) {
      const list = await api.call('GET', '/api/ads');
      if ((list.body['data'] as { id: string }[]).some((ad) => ad.id === id)) break;
    }
    const listed = performance.now();
    const live_ms = Math.max(0, (await notified) - responded);
    if (n < WARM_UP) continue;
    toList.push(listed - responded);
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

/** Measures the time from `POST /ads` until the message arrives on an open WebSocket. No other requests are sent. */
export async function benchPostToLive(url: string, ads = ADS): Promise<PostToLiveFigures> {
  const api = createApiClient(url);
  const live = await connectLive(url);
  const sent: number[] = [];
  const responded: number[] = [];
  for (let n = 0; n < WARM_UP + ads; n += 1) {
    const { token } = await api.signUp('provider');
    const arrived = live.messages.length;
    const notified = live
      .next((message) => message.type === 'ad_created' && live.messages.indexOf(message) >= arrived)
      .then(() => performance.now());
    const sent_ms = performance.now();
    await api.postAd(token);
    const responded_ms = performance.now();
    const notified_ms = await notified;
    if (n < WARM_UP) continue;
    sent.push(notified_ms - sent_ms);
    responded.push(Math.max(0, notified_ms - responded_ms));
  }
  live.close();
  return {
    sentP50_ms: percentile(sent, 50),
    sentP99_ms: percentile(sent, 99),
    afterResponseP50_ms: percentile(responded, 50),
    afterResponseP99_ms: percentile(responded, 99),
  };
}
