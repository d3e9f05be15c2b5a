import type { ApiClient } from '../support/api-client.ts';
import { httpClient } from './http-client.ts';

/** Changes the title of an ad with every call. */
export interface Writer {
  /** Resolves when the change is answered: it is in the event store. */
  write(url?: string): Promise<void>;
  readonly email: string;
  readonly token: string;
  readonly adId: string;
}

export interface Writers {
  /** The next of them each time. */
  write(url?: string): Promise<void>;
  readonly all: readonly Writer[];
  close(): void;
}

/** Providers, each with an ad. They write to `target` unless told another address. */
export async function signUpWriters(
  api: ApiClient,
  { count, target }: { readonly count: number; readonly target: string },
): Promise<Writers> {
  const http = httpClient({ connections: count });
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
