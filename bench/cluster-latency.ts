import { createApiClient } from '../tests/support/api-client.ts';
import { connectLive } from '../tests/support/live.ts';
import { percentile } from './statistics.ts';

export interface PostToLiveFigures {
  readonly p50_ms: number;
  readonly p99_ms: number;
}

const WARM_UP = 20;

/** Measures the time from sending `POST /ads` until the message arrives on an open WebSocket. */
export async function benchPostToLive(url: string, ads: number): Promise<PostToLiveFigures> {
  const api = createApiClient(url);
  const live = await connectLive(url);
  const latencies_ms: number[] = [];
  for (let n = 0; n < WARM_UP + ads; n += 1) {
    const { token } = await api.signUp('provider');
    const arrived = live.messages.length;
    const notified = live
      .next((message) => message.type === 'ad_created' && live.messages.indexOf(message) >= arrived)
      .then(() => performance.now());
    const sent_ms = performance.now();
    await api.postAd(token);
    latencies_ms.push((await notified) - sent_ms);
  }
  live.close();
  const measured_ms = latencies_ms.slice(WARM_UP);
  return { p50_ms: percentile(measured_ms, 50), p99_ms: percentile(measured_ms, 99) };
}
