/** Chooses the builds of remotes that a visitor gets. */
import { createHash, randomInt } from 'node:crypto';
import { COOKIES } from '@alpenglow/ui/stored-keys';
import type { Registry, RegistryEntry, RemoteName } from '@alpenglow/ui/contract';
import { readPreviewToken, type Trust } from '../build/signing.mjs';
import type { Canary, LiveBuilds } from './registry-file.ts';
import { cookieIn } from './visitor.ts';

/** The maximum number of remotes of which one browser sees a preview at the same time. */
const PREVIEWS_MAX = 4;
/** Separates the tokens in the cookie. */
const SEPARATOR = '~';

/** A build that a visitor gets although it is not live. */
export interface ShownPreview {
  readonly name: RemoteName;
  readonly hash: string;
  /** The build that other visitors get. Null if the remote is not deployed. */
  readonly liveHash: string | null;
  /** The origin of the development server from which the page loads the remote. Without it, this is a stored build. */
  readonly origin?: string;
  /** Added to the head of the page. */
  readonly headHtml?: string;
}

/** The builds that a visitor gets. */
export interface BuildChoice {
  readonly live: LiveBuilds;
  readonly registry: Registry;
  /** The differences to the builds that most visitors get, as a key of caches. It is empty if there are none. */
  readonly variant: string;
  readonly previews: readonly ShownPreview[];
  /** The new bucket of a browser that has none. Null if the browser has one or needs none. */
  readonly newBucket: number | null;
}

export interface BuildChooserOptions {
  readonly trust: Trust;
  readonly findStored: (name: RemoteName, hash: string) => Promise<RegistryEntry | null>;
}

/** Returns the tokens in the cookie of previews. They may be invalid. */
export const tokensIn = (cookies: string): readonly string[] =>
  (cookieIn(cookies, COOKIES.preview) ?? '').split(SEPARATOR, PREVIEWS_MAX).filter((token) => token !== '');

/** Returns the valid preview tokens in a `Cookie` header, at most one for each remote. */
export function readPreviewCookie(cookies: string, trust: Trust) {
  const valid = tokensIn(cookies).flatMap((token) => {
    const preview = readPreviewToken(token, trust);
    return preview ? [{ ...preview, token }] : [];
  });
  return [...new Map(valid.map((preview) => [preview.name, preview])).values()];
}

/** Returns the value of the cookie for these tokens. */
export const toPreviewCookie = (tokens: readonly string[]): string => tokens.slice(0, PREVIEWS_MAX).join(SEPARATOR);

/** The number of buckets into which browsers are divided. */
const BUCKETS = 1_000;

/** Returns the bucket in a `Cookie` header, or null. */
function readBucket(cookies: string): number | null {
  const value = cookieIn(cookies, COOKIES.bucket) ?? '';
  return /^\d{1,3}$/u.test(value) ? Number(value) : null;
}

/**
 * Checks whether the browsers of a bucket get a canary. Exactly `percent` of the buckets do. Each canary begins with
 * other buckets, so that not always the same browsers get new builds. A larger share contains the smaller one.
 */
export function isInCanary(bucket: number, { percent, build: { name, hash } }: Canary): boolean {
  const offset = createHash('sha256').update(`${name} ${hash}`).digest().readUInt32BE() % BUCKETS;
  return (bucket + offset) % BUCKETS < percent * (BUCKETS / 100);
}

/**
 * Creates a function that returns the builds that a visitor gets: the live ones, except for previews whose links the
 * visitor has opened, and for canaries of its bucket. A preview that was deleted, or that this shell cannot run, is
 * left out.
 */
export function createBuildChooser({ trust, findStored }: BuildChooserOptions) {
  return async (live: LiveBuilds, cookies: string): Promise<BuildChoice> => {
    const previews: ShownPreview[] = [];
    const remotes: Partial<Record<RemoteName, RegistryEntry>> = { ...live.remotes };
    const canaries = Object.values(live.canaries);
    const bucket = canaries.length > 0 ? readBucket(cookies) : null;
    const newBucket = canaries.length > 0 && bucket === null ? randomInt(BUCKETS) : null;
    for (const canary of canaries)
      if (isInCanary(bucket ?? newBucket ?? 0, canary)) remotes[canary.build.name] = canary.build;
    for (const { name, hash } of readPreviewCookie(cookies, trust)) {
      const build = await findStored(name, hash);
      const liveHash = live.remotes[name]?.hash ?? null;
      if (!build?.fits || hash === liveHash) continue;
      remotes[name] = build;
      previews.push({ name, hash, liveHash });
    }
    const shown = new Set(previews.map(({ name }) => name));
    // A preview has another key than a canary of the same build, because its pages have a mark.
    const variant = Object.values(remotes)
      .flatMap((build) => (build && build !== live.remotes[build.name] ? [build] : []))
      .map(({ name, hash }) => `${shown.has(name) ? 'preview:' : ''}${name}:${hash}`)
      .toSorted()
      .join(' ');
    return { live, registry: variant === '' ? live : { remotes }, variant, previews, newBucket };
  };
}
