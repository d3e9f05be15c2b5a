/**
 * The contract between the shell (host) and the remotes. A remote exposes exactly `./App`, a component with `RemoteProps`.
 * Raise `CONTRACT_VERSION` when a remote built against the old shape would break; the shell shows a placeholder for a remote
 * whose version differs.
 */
import type { AdLiveMessage, ThreadLiveMessage, UserView } from '@alpenglow/domain/contracts';
import type { Locale } from '../i18n/locales.ts';

export const CONTRACT_VERSION = 2;

/** What is known of the visitor. `unknown` lasts only while the stored token is being checked. */
export type Session =
  | { readonly state: 'unknown' }
  | { readonly state: 'anonymous' }
  | { readonly state: 'authenticated'; readonly user: UserView; readonly token: string };

export interface Notice {
  readonly text: string;
  readonly tone?: 'info' | 'success' | 'danger';
  /** One thing to do about it, e.g. undo. The notice goes with it. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

export interface Host {
  readonly session: Session;
  /** Stores or refreshes the signed-in user, e.g. after the server said more about them. */
  updateUser(user: UserView): void;
  /** Client-side navigation within the composed site. */
  navigate(to: string, options?: { replace?: boolean; state?: unknown }): void;
  /** Shows a toast. */
  notify(notice: Notice): void;
  /** Calls back for every live message of an ad, in order; returns how to stop. Toasts are the shell's business. */
  onLive(listener: (message: AdLiveMessage) => void): () => void;
  /** Likewise for every live message of a thread. Absent in a shell that does not know the community yet; `useThreadLive` copes with that. */
  onThreadLive?(listener: (message: ThreadLiveMessage) => void): () => void;
  /** The visitor's language; it may change while the remote stands. */
  readonly locale: Locale;
  /** A call was refused because the session is over: the shell signs the visitor out and says so. */
  sessionEnded(): void;
  /** The account is gone: signs out without a word, keeps nothing of the user in this browser, and loads this path anew. Absent in a shell from before it. */
  accountGone?(to: string): void;
}

export interface RemoteProps {
  /**
   * The path the remote's own `<Routes>` start from. The shell hands over whole addresses, so today it is `/` for all:
   * `mf-community` routes `community/*` and `blog/*` itself. A path that nobody owns goes to `mf-listings`, which shows the home page.
   */
  readonly basePath: string;
  readonly host: Host;
}

export const REMOTE_NAMES = ['mf-listings', 'mf-post-ad', 'mf-community', 'mf-admin'] as const;
export type RemoteName = (typeof REMOTE_NAMES)[number];

/** One remote's entry in the registry file `/mf/registry.json`. */
export interface RegistryEntry {
  readonly name: RemoteName;
  /** Content hash: the remote's files are served, immutable, below `/mf/<name>/<hash>/`. */
  readonly hash: string;
  readonly contractVersion: number;
  /** File names below that folder that the first screen needs, the entry first: the server names them in the first HTML. */
  readonly preload: readonly string[];
  /** Language → file names below that folder with its texts; absent for the source language. */
  readonly preloadTexts?: Readonly<Partial<Record<Locale, readonly string[]>>>;
  /**
   * Path of a page, with `{names}` for segments → the answers of the API its first screen asks for, which come inside the first HTML. `{a}` in one is
   * a segment of the page's path, `{?a,b}` at the end stands for those names that path or query have, in this order; one without is for addresses
   * without a query. The first page that fits counts; one with a `{country}`, `{state}` or `{city}` fits only a place that we have. From the remote's
   * `package.json`; absent: none.
   */
  readonly preloadData?: Readonly<Record<string, readonly string[]>>;
  /** The pictures of its lists that are seen first, on pages whose data comes inside the first HTML. From the remote's `package.json`; absent: none. */
  readonly preloadPictures?: FirstPictures;
  /** File name below that folder → `sha384-…`. A file that is not listed is never loaded. */
  readonly integrity: Readonly<Record<string, string>>;
  readonly sizeBytes: number;
  /** ISO 8601, UTC. */
  readonly deployedAt: string;
}
/** The covers of a list's first ads, which its pages load before anything else. */
export interface FirstPictures {
  /** As the keys of `preloadData`. */
  readonly pages: readonly string[];
  readonly count: number;
  /** The `sizes` of their `<img>`. */
  readonly sizes: string;
}
export interface Registry {
  readonly remotes: Readonly<Partial<Record<RemoteName, RegistryEntry>>>;
}
