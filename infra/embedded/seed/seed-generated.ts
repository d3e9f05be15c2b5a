import { account, listing, postAd, registerAccount } from '@alpenglow/domain';
import type { CommandOrigin } from '@alpenglow/infra';
import { generatedAd } from './demo-ads.ts';
import type { SeedDependencies } from './seed.ts';

/** Enough to fill the batches of the event store. */
const AT_ONCE = 256;
const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/**
 * Puts up `count` made-up ads and their posters through commands, for trials at scale. Cut off, or called again with a larger count, it
 * adds only what is missing. Rejects when `signal` aborts.
 */
export async function seedGenerated(deps: SeedDependencies, count: number, signal?: AbortSignal): Promise<void> {
  const now_ms = Date.now();
  let next = 0;
  let done = 0;
  const work = async () => {
    while (next < count) {
      signal?.throwIfAborted();
      await seedAd(deps, next++, now_ms);
      done += 1;
      deps.onProgress?.(done, count);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Poster and ad side by side: neither decision asks for the other. */
async function seedAd({ commands, accountIdOf }: SeedDependencies, number: number, now_ms: number): Promise<void> {
  const { email, age, age_ms, fields, photos } = generatedAd(number);
  const accountId = accountIdOf(email);
  const now = new Date(now_ms - age_ms).toISOString();
  const poster = { accountId, isProvider: true, emailVerified: true };
  await Promise.all([
    commands.handle(
      account,
      accountId,
      (state, context) => (state ? [] : registerAccount({ accountId, email, passwordHash: null, userType: 'provider', displayName: fields.name, age, isDemo: true }, state, context)),
      origin,
      { now, isNew: true },
    ),
    commands.handle(
      listing,
      accountId,
      (state, context) => (state.ad || state.deletedAdIds.length > 0 ? [] : postAd({ poster, clientId: null, fields, photos, video: null, isDemo: true }, state, context)),
      origin,
      { now, isNew: true },
    ),
  ]);
}
