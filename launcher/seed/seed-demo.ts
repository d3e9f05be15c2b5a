import { account, listing, type ListingEvent, type UserType } from '@alpenglow/domain';
import { featureAd, postAd, registerAccount, reviewAd } from '@alpenglow/domain/deciders';
import { DEMO_ADMIN_EMAIL, hashPassword, type CommandHandler, type CommandOrigin } from '@alpenglow/infra';
import { demoAds, type DemoAd } from './demo-ads.ts';

export interface SeedDependencies {
  readonly commands: CommandHandler;
  readonly createAccountId: (email: string) => string;
  /** Called with the number of created demo ads and the total number. */
  readonly onProgress?: (done: number, of: number) => void;
}

/** Password of the demo accounts. It is public, so any visitor can sign in with it. */
const DEMO_PASSWORD = 'alpenglow-demo';
const DEMO_LOGINS: readonly { readonly email: string; readonly userType: UserType; readonly displayName: string }[] = [
  { email: DEMO_ADMIN_EMAIL, userType: 'client', displayName: 'Demo admin' },
  { email: 'client@demo.alpenglow.example', userType: 'client', displayName: 'Demo client' },
  { email: 'provider@demo.alpenglow.example', userType: 'provider', displayName: 'Demo provider' },
];

/** Age of the demo accounts. It is longer than the time that a new account has to wait before it can post. */
const LOGINS_AGE_ms = 90 * 24 * 60 * 60_000;

const MAX_PARALLEL = 64;
const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/**
 * Creates the demo ads and the demo accounts through commands, several in parallel. After an interruption, the next
 * call creates only what is missing. The last demo account is created at the end. If this account exists, the demo is
 * complete, and later calls change nothing, even if accounts were closed.
 */
export async function seedDemo(deps: SeedDependencies): Promise<void> {
  const lastLogin = deps.createAccountId(DEMO_LOGINS.at(-1)?.email ?? '');
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
  await Promise.all(Array.from({ length: MAX_PARALLEL }, work));

  const passwordHash = await hashPassword(DEMO_PASSWORD);
  for (const { email, userType, displayName } of DEMO_LOGINS)
    await register(
      deps,
      { email, userType, displayName, age: 30, passwordHash },
      new Date(now_ms - LOGINS_AGE_ms).toISOString(),
    );
}

async function register(
  { commands, createAccountId }: SeedDependencies,
  person: {
    readonly email: string;
    readonly userType: UserType;
    readonly displayName: string;
    readonly age: number;
    readonly passwordHash: string | null;
  },
  now = new Date().toISOString(),
): Promise<string> {
  const accountId = createAccountId(person.email);
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
  const posted = await deps.commands.execute(
    listing,
    accountId,
    postAd,
    { poster, clientId: `demo-${number}`, fields: ad.fields, photos: ad.photos, video: null, isDemo: true },
    origin,
    { now },
  );
  const adId = posted.state.ad?.adId ?? '';
  await deps.commands.handle(
    listing,
    accountId,
    (state, context): readonly ListingEvent[] => [
      ...ad.reviews.flatMap((review, index) => {
        const reviewId = `demo-${index}`;
        return reviewAd({ adId, reviewer: null, reviewId, ...review, ownerAccountId: accountId }, state, context);
      }),
      ...(ad.isFeatured ? featureAd({ adId, isFeatured: true, accountId }, state, context) : []),
    ],
    origin,
    { now: new Date(now_ms - ad.age_ms / 2).toISOString() },
  );
}

/** Returns the name of the account that posts a demo ad. It is the name in the ad without the age. */
function nameOf({ fields: { name } }: DemoAd): string {
  return name.replace(/, \d+$/u, '');
}
