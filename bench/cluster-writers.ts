import type { ApiClient } from '../tests/support/api-client.ts';
import { createHttpClient } from './http-client.ts';

/** A provider that changes the title of its ad with each write. */
interface Writer {
  /** Resolves when the response arrives. The change is then in the event store. */
  write(url?: string): Promise<void>;
  readonly email: string;
  readonly token: string;
  readonly adId: string;
}

export interface Writers {
  /** Sends a write of one of the writers. The writers take turns. */
  write(url?: string): Promise<void>;
  readonly all: readonly Writer[];
  close(): void;
}

/** Signs up providers and posts an ad for each of them. By default, the writers send their requests to `target`. */
export async function signUpWriters(
  api: ApiClient,
  { count, target }: { readonly count: number; readonly target: string },
): Promise<Writers> {
  const http = createHttpClient({ connections: count });
  let changes = 0;
  const all: Writer[] = [];
  for (let n = 0; n < count; n += 1) {
    const { token, email } = await api.signUp('provider');
    const { id: adId } = await api.postAd(token);
    all.push({
      email,
      token,
      adId,
      async write(url = target) {
        changes += 1;
        await http.send('PUT', `${url}/api/ads/${adId}`, {
          token,
          body: JSON.stringify({ title: `Evening walk along the lake, ${changes}` }),
        });
      },
    });
  }
  let turn = 0;
  return {
    all,
    write: async (url) => all[(turn += 1) % all.length]?.write(url),
    close: () => http.close(),
  };
}
