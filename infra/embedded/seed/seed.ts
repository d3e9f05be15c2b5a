import {
  account,
  featureAd,
  listing,
  postAd,
  registerAccount,
  reviewAd,
  type ListingEvent,
  type ListingState,
  type UserType,
} from '@alpenglow/domain';
import { DEMO_ADMIN_EMAIL, hashPassword, type CommandHandler, type CommandOrigin } from '@alpenglow/infra';
import { demoAds, type DemoAd } from './demo-ads.ts';

export interface SeedDependencies {
  readonly commands: CommandHandler;
  readonly accountIdOf: (email: string) => string;
  /** How many of how many demo ads are up. */
  readonly onProgress?: (done: number, of: number) => void;
}

/** The password of the demo accounts one can sign in with. */
export const DEMO_PASSWORD = 'alpenglow-demo';
const DEMO_LOGINS: readonly { readonly email: string; readonly userType: UserType; readonly displayName: string }[] = [
  { email: DEMO_ADMIN_EMAIL, userType: 'client', displayName: 'Demo admin' },
  { email: 'client@demo.alpenglow.example', userType: 'client', displayName: 'Demo client' },
  { email: 'provider@demo.alpenglow.example', userType: 'provider', displayName: 'Demo provider' },
];

/** Long enough that nobody takes them for new: new accounts wait before they post. */
const LOGINS_AGE_ms = 90 * 24 * 60 * 60_000;

const AT_ONCE = 64;
const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/**
 * Puts up the demo ads and accounts through commands, several at once. Cut off, it adds only what is missing the next time;
 * once complete, it leaves everything as it is, accounts closed since too. The last account comes last of all, so that it tells which.
 */
export async function seedDemo(deps: SeedDependencies): Promise<void> {
  const lastLogin = deps.accountIdOf(DEMO_LOGINS.at(-1)?.email ?? '');
  if ((await deps.commands.load(account, lastLogin)).revision >= 0) return;

  const ads = demoAds();
  const now_ms = Date.now();
  const next = ads.entries();
  let done = 0;
  const work = async () => {
    for (const [number, ad] of next) {
      await seedAd(deps, ad, number, now_ms);
      done += 1;
      deps.onProgress?.(done, ads.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  const passwordHash = await hashPassword(DEMO_PASSWORD);
  for (const { email, userType, displayName } of DEMO_LOGINS)
    await register(
      deps,
      { email, userType, displayName, age: 30, passwordHash },
      new Date(now_ms - LOGINS_AGE_ms).toISOString(),
    );
}

async function register(
  { commands, accountIdOf }: SeedDependencies,
  person: {
    readonly email: string;
    readonly userType: UserType;
    readonly displayName: string;
    readonly age: number;
    readonly passwordHash: string | null;
  },
  now = new Date().toISOString(),
): Promise<string> {
  const accountId = accountIdOf(person.email);
  await commands.handle(
    account,
    accountId,
    (state, context) => (state ? [] : registerAccount({ ...person, accountId, isDemo: true }, state, context)),
    origin,
    { now },
  );
  return accountId;
}

async function seedAd(deps: SeedDependencies, ad: DemoAd, number: number, now_ms: number): Promise<void> {
  const accountId = await register(deps, {
    email: ad.email,
    userType: 'provider',
    displayName: nameOf(ad),
    age: ad.age,
    passwordHash: null,
  });
  const now = new Date(now_ms - ad.age_ms).toISOString();
  const poster = { accountId, isProvider: true, emailVerified: true };
  const posted = await deps.commands.handle(
    listing,
    accountId,
    (state, context) =>
      postAd(
        { poster, clientId: `demo-${number}`, fields: ad.fields, photos: ad.photos, video: null, isDemo: true },
        state,
        context,
      ),
    origin,
    { now },
  );
  const adId = posted.state.ad?.adId ?? '';
  await deps.commands.handle(
    listing,
    accountId,
    (state) => [...reviewsOf(ad, adId, state, accountId), ...featuringOf(ad, adId, state, accountId)],
    origin,
    {
      now: new Date(now_ms - ad.age_ms / 2).toISOString(),
    },
  );
}

/** Of the person: an ad's name says an age as well. */
function nameOf({ fields: { name } }: DemoAd): string {
  return name.replace(/, \d+$/u, '');
}

function reviewsOf(ad: DemoAd, adId: string, state: ListingState, accountId: string): readonly ListingEvent[] {
  return ad.reviews.flatMap((review, index) =>
    reviewAd({ adId, reviewer: null, reviewId: `demo-${index}`, ...review }, state, accountId),
  );
}

function featuringOf(
  { isFeatured }: DemoAd,
  adId: string,
  state: ListingState,
  accountId: string,
): readonly ListingEvent[] {
  return isFeatured ? featureAd({ adId, isFeatured }, accountId, state) : [];
}
