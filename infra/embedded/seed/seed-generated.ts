import { account, listing, postAd, registerAccount } from '@alpenglow/domain';
import type { CommandOrigin } from '@alpenglow/infra';
import { generatedAd, generatedEmail } from './demo-ads.ts';
import type { SeedDependencies } from './seed.ts';

/** Enough to fill the batches of the event store. */
const AT_ONCE = 256;
/** So many are put in order at a time: more would take memory without bringing neighbours much closer. */
const ORDERED_AT_ONCE = 500_000;
const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/** One of several that share the work, counted from 0: each puts up every `of`-th ad. */
export interface Share {
  readonly index: number;
  readonly of: number;
}

export interface SeedGeneratedOptions {
  readonly share?: Share;
  readonly signal?: AbortSignal | undefined;
}

interface Poster {
  readonly number: number;
  readonly accountId: string;
}

/**
 * Puts up `count` made-up ads and their posters through commands, for trials at scale, or a share of them. Cut off, or called again with a
 * larger count, it adds only what is missing. Rejects when `signal` aborts. Progress is told of the share.
 */
export async function seedGenerated(
  deps: SeedDependencies,
  count: number,
  { share = { index: 0, of: 1 }, signal }: SeedGeneratedOptions = {},
): Promise<void> {
  const now_ms = Date.now();
  const ofShare = Math.ceil((count - share.index) / share.of);
  let done = 0;
  for (let from = 0; from < ofShare; from += ORDERED_AT_ONCE) {
    signal?.throwIfAborted();
    const length = Math.min(ORDERED_AT_ONCE, ofShare - from);
    const next = inOrderOfAccounts(
      Array.from({ length }, (_, index) => share.index + (from + index) * share.of),
      deps.accountIdOf,
    ).values();
    const work = async () => {
      for (const poster of next) {
        signal?.throwIfAborted();
        await seedAd(deps, poster, now_ms);
        done += 1;
        deps.onProgress?.(done, ofShare);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
}

/** Neighbours in the indexes of the database come one after the other, so that it goes through its pages once instead of jumping about. */
function inOrderOfAccounts(
  numbers: readonly number[],
  accountIdOf: SeedDependencies['accountIdOf'],
): readonly Poster[] {
  const posters = numbers.map((number) => ({ number, accountId: accountIdOf(generatedEmail(number)) }));
  return posters.sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
}

/** Poster and ad side by side: neither decision asks for the other. */
async function seedAd({ commands }: SeedDependencies, { number, accountId }: Poster, now_ms: number): Promise<void> {
  const { email, age, age_ms, fields, photos } = generatedAd(number);
  const now = new Date(now_ms - age_ms).toISOString();
  const poster = { accountId, isProvider: true, emailVerified: true };
  await Promise.all([
    commands.handle(
      account,
      accountId,
      (state, context) =>
        state
          ? []
          : registerAccount(
              {
                accountId,
                email,
                passwordHash: null,
                userType: 'provider',
                displayName: fields.name,
                age,
                isDemo: true,
              },
              state,
              context,
            ),
      origin,
      { now, isNew: true },
    ),
    commands.handle(
      listing,
      accountId,
      (state, context) =>
        state.ad || state.deletedAdIds.length > 0
          ? []
          : postAd({ poster, clientId: null, fields, photos, video: null, isDemo: true }, state, context),
      origin,
      { now, isNew: true },
    ),
  ]);
}
