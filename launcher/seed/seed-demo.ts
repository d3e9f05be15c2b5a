import {
  account,
  DEMO_EMAILS,
  DEMO_PASSWORD,
  favorites,
  listing,
  media,
  photoBlobKeys,
  stockPictureId,
  type AccountState,
  type BlobStore,
  type ListingEvent,
  type UserType,
} from '@alpenglow/domain';
import {
  addFavorite,
  featureAd,
  postAd,
  registerAccount,
  reviewAd,
  uploadMedia,
  verifyAccountByAdmin,
} from '@alpenglow/domain/deciders';
import { hashPassword, type CommandHandler, type CommandOrigin } from '@alpenglow/infra';
import { readStockPicture } from '@alpenglow/workers';
import { v5 as uuidv5 } from 'uuid';
import { demoAds, type DemoAd } from './demo-ads.ts';
import { COVER_COUNT } from './demo-pictures.ts';
import { PROVIDER_AD } from './demo-people.ts';

export interface SeedDependencies {
  readonly commands: CommandHandler;
  readonly createAccountId: (email: string) => string;
  /** Called with the number of created demo ads and the total number. */
  readonly onProgress?: (done: number, of: number) => void;
}

export interface SeedDemoDependencies extends SeedDependencies {
  readonly blobs: Pick<BlobStore, 'put'>;
  /** Adds views to the ads with these ids. */
  readonly addViews: (views: ReadonlyMap<string, number>) => Promise<void>;
}

/** The demo accounts. The last one is created after everything else. */
const DEMO_LOGINS: readonly { readonly email: string; readonly userType: UserType; readonly displayName: string }[] = [
  { email: DEMO_EMAILS.client, userType: 'client', displayName: 'Demo client' },
  { email: DEMO_EMAILS.provider, userType: 'provider', displayName: 'Demo provider' },
  { email: DEMO_EMAILS.admin, userType: 'client', displayName: 'Demo admin' },
];

/** Age of the demo accounts. It is longer than the time that a new account has to wait before it can post. */
const LOGINS_AGE_ms = 90 * 24 * 60 * 60_000;
const HOUR_ms = 60 * 60_000;
/** UUID namespace for the ids of the photos of the demo provider, so that every installation has the same ids. */
const PHOTO_NAMESPACE = '4b7e5c52-1c0e-4a53-9f10-65d6b57f2a11';

const MAX_PARALLEL = 64;
const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/**
 * Creates the demo ads and the demo accounts through commands, several in parallel. After an interruption, the next
 * call creates only what is missing. The demo is complete when all demo accounts exist, because they are created last.
 * (No single account shows this, because earlier releases used another order.) Later calls then change nothing, even if
 * accounts were closed.
 */
export async function seedDemo(deps: SeedDemoDependencies): Promise<void> {
  const { commands, createAccountId, addViews } = deps;
  const logins = await Promise.all(DEMO_LOGINS.map(({ email }) => commands.load(account, createAccountId(email))));
  if (logins.every(({ revision }) => revision >= 0)) return;

  const ads = demoAds();
  const now_ms = Date.now();
  const next = ads.entries();
  const adIds = new Map<DemoAd, string>();
  const views = new Map<string, number>();
  const work = async () => {
    for (const [number, ad] of next) {
      const { adId, isNew } = await seedAd(deps, ad, number, now_ms);
      adIds.set(ad, adId);
      if (isNew) views.set(adId, ad.views);
      deps.onProgress?.(adIds.size, ads.length);
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
  await addViews(views);

  const passwordHash = await hashPassword(DEMO_PASSWORD);
  for (const { email, userType, displayName } of DEMO_LOGINS) {
    if (email === DEMO_EMAILS.admin) await seedOwnContent(deps, ads, adIds, now_ms);
    await register(
      deps,
      { email, userType, displayName, age: 30, passwordHash },
      { now: new Date(now_ms - LOGINS_AGE_ms).toISOString(), isVerified: userType === 'provider' },
    );
  }
}

/** Creates the ad of the demo provider and the favorites of the demo client. */
async function seedOwnContent(
  deps: SeedDemoDependencies,
  ads: readonly DemoAd[],
  adIds: ReadonlyMap<DemoAd, string>,
  now_ms: number,
): Promise<void> {
  const { commands, createAccountId, addViews } = deps;
  const photos = await uploadProviderPhotos(deps);
  const { adId, isNew } = await seedAd(deps, { ...PROVIDER_AD, photos }, null, now_ms);
  if (isNew) await addViews(new Map([[adId, PROVIDER_AD.views]]));

  const accountId = createAccountId(DEMO_EMAILS.client);
  const newest = [...ads].sort((a, b) => a.age_ms - b.age_ms).filter(({ isVerified }) => isVerified);
  for (const [index, favorite] of [adId, ...newest.slice(0, 5).map((ad) => adIds.get(ad) ?? '')].entries())
    await commands.execute(
      favorites,
      accountId,
      addFavorite,
      { accountId, isProvider: false, adId: favorite },
      origin,
      {
        now: new Date(now_ms - (index + 1) * 5 * HOUR_ms).toISOString(),
      },
    );
}

/**
 * Uploads the photos of the demo provider and returns their media ids. The photos show the stock pictures that no demo
 * ad shows first. They belong to the provider, so that they can be reported like the photos of a real ad.
 */
async function uploadProviderPhotos({
  commands,
  blobs,
  createAccountId,
}: SeedDemoDependencies): Promise<readonly string[]> {
  const ownerId = createAccountId(DEMO_EMAILS.provider);
  return Promise.all(
    [1, 2, 3].map(async (number) => {
      const mediaId = uuidv5(stockPictureId(COVER_COUNT + number), PHOTO_NAMESPACE);
      if ((await commands.load(media, mediaId)).state) return mediaId;
      const jpeg = await readStockPicture(COVER_COUNT + number);
      await blobs.put(photoBlobKeys.original(mediaId), jpeg);
      const file = { kind: 'photo', sizeBytes: jpeg.length, contentType: 'image/jpeg' } as const;
      await commands.execute(media, mediaId, uploadMedia, { mediaId, ownerId, ...file }, origin);
      return mediaId;
    }),
  );
}

interface Person {
  readonly email: string;
  readonly userType: UserType;
  readonly displayName: string;
  readonly age: number;
  readonly passwordHash: string | null;
}

/** Registers the account of a person, if it does not exist. Returns its id, and true if it was registered now. */
async function register(
  { commands, createAccountId }: SeedDependencies,
  person: Person,
  { now, isVerified }: { readonly now: string; readonly isVerified: boolean },
): Promise<{ readonly accountId: string; readonly isNew: boolean }> {
  const accountId = createAccountId(person.email);
  const { events } = await commands.handle(
    account,
    accountId,
    (state, context) => {
      if (state) return [];
      const registered = registerAccount({ ...person, accountId, isDemo: true }, state, context);
      if (!isVerified) return registered;
      const after = registered.reduce<AccountState>((current, event) => account.evolve(current, event, now), state);
      return [...registered, ...verifyAccountByAdmin({ reason: null }, after, context)];
    },
    origin,
    // The demo is usually created in an empty installation. If the account exists, the append fails and is repeated.
    { now, isNew: true },
  );
  return { accountId, isNew: events.length > 0 };
}

/**
 * Creates a demo ad with its owner, its reviews and its mark as featured. `number` is the number of the demo ad, or
 * null for the ad of the demo provider, which exists already. The ad of the demo provider is not a demo ad, so that it
 * counts as the one ad of the provider.
 */
async function seedAd(
  deps: SeedDependencies,
  ad: DemoAd,
  number: number | null,
  now_ms: number,
): Promise<{ readonly adId: string; readonly isNew: boolean }> {
  const now = new Date(now_ms - ad.age_ms).toISOString();
  const person = { email: ad.email, userType: 'provider', displayName: nameOf(ad), age: ad.age, passwordHash: null };
  const { accountId, isNew } =
    number === null
      ? { accountId: deps.createAccountId(ad.email), isNew: false }
      : await register(deps, { ...person, userType: 'provider' }, { now, isVerified: ad.isVerified });
  const poster = { accountId, isProvider: true, emailVerified: true };
  const posted = await deps.commands.execute(
    listing,
    accountId,
    postAd,
    {
      poster,
      clientId: `demo-${number ?? 'provider'}`,
      fields: ad.fields,
      photos: ad.photos,
      video: null,
      isDemo: number !== null,
    },
    origin,
    { now, isNew },
  );
  const { state, revision, position } = posted;
  const adId = state.ad?.adId ?? '';
  await deps.commands.handle(
    listing,
    accountId,
    (current, context): readonly ListingEvent[] => [
      ...ad.reviews.flatMap((review, index) => {
        const reviewId = `demo-${index}`;
        return reviewAd({ adId, reviewer: null, reviewId, ...review, ownerAccountId: accountId }, current, context);
      }),
      ...(ad.isFeatured ? featureAd({ adId, isFeatured: true, accountId }, current, context) : []),
    ],
    origin,
    { now: new Date(now_ms - ad.age_ms / 2).toISOString(), loaded: { state, revision, position } },
  );
  return { adId, isNew: posted.events.length > 0 };
}

/** Returns the name of the account that posts a demo ad. It is the name in the ad without the age. */
function nameOf({ fields: { name } }: DemoAd): string {
  return name.replace(/, \d+$/u, '');
}
