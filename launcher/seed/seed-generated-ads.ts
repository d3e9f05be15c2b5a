import { account, listing } from '@alpenglow/domain';
import { postAd, registerAccount } from '@alpenglow/domain/deciders';
import type { CommandOrigin } from '@alpenglow/infra';
import { generatedAd, generatedEmail } from './demo-ads.ts';
import type { SeedDependencies } from './seed-demo.ts';

/** Number of commands that run in parallel. It is large enough to fill the batches that the event store writes. */
const MAX_PARALLEL = 256;
/** Number of ads that are sorted together. A larger number needs more memory and has little benefit. */
const SORTED_AT_A_TIME = 500_000;
const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/**
 * The share of ads that one of several workers creates. The worker with the number `index`, starting at 0, creates
 * every `of`-th ad.
 */
export interface SeedShare {
  readonly index: number;
  readonly of: number;
}

export interface SeedGeneratedOptions {
  readonly share?: SeedShare;
  readonly signal?: AbortSignal | undefined;
}

interface Poster {
  readonly number: number;
  readonly accountId: string;
}

/**
 * Creates `count` generated ads and the accounts that post them, for trials with many ads. With `share`, creates only
 * the ads of this share and reports the progress of this share. Existing ads are skipped, so an interrupted call can be
 * repeated. Rejects if `signal` aborts.
 */
export async function seedGeneratedAds(
  deps: SeedDependencies,
  count: number,
  { share = { index: 0, of: 1 }, signal }: SeedGeneratedOptions = {},
): Promise<void> {
  const now_ms = Date.now();
  const shareSize = Math.ceil((count - share.index) / share.of);
  let done = 0;
  for (let from = 0; from < shareSize; from += SORTED_AT_A_TIME) {
    signal?.throwIfAborted();
    const length = Math.min(SORTED_AT_A_TIME, shareSize - from);
    const next = sortByAccount(
      Array.from({ length }, (_, index) => share.index + (from + index) * share.of),
      deps.createAccountId,
    ).values();
    const work = async () => {
      for (const poster of next) {
        signal?.throwIfAborted();
        await seedAd(deps, poster, now_ms);
        done += 1;
        deps.onProgress?.(done, shareSize);
      }
    };
    await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
  }
}

/**
 * Sorts the ads by account id. Ads that are neighbors in the database's indexes are then written one after the other.
 * The database therefore reads each page only once.
 */
function sortByAccount(
  numbers: readonly number[],
  createAccountId: SeedDependencies['createAccountId'],
): readonly Poster[] {
  const posters = numbers.map((number) => ({ number, accountId: createAccountId(generatedEmail(number)) }));
  return posters.sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
}

/** Creates an account and its ad in parallel, because the two commands do not depend on each other. */
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
