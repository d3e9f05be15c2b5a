/**
 * The contract between the shell (the page that loads the front ends) and the remotes (the loaded front ends). A remote
 * exposes exactly `./App`, a component with `RemoteProps`, and states the range of contract versions with which it
 * works.
 */
import type { AdLiveMessage, LiveTopic, ThreadLiveMessage, UserView } from '@alpenglow/domain/contracts';
import type { Locale } from '../i18n/locales.ts';

/**
 * The semantic version of the contract. Increase the first number with each incompatible change, and the second number
 * with each addition. A new version of a shared package counts as a change of the contract, too: an incompatible one
 * increases the first number, and any other one the second number.
 */
export const CONTRACT_VERSION = '6.0.0';

/**
 * The versions of the contract that the shell offers. The shell loads remotes whose range contains one of them. Usually
 * it is only `CONTRACT_VERSION`. While the remotes move to a new first number, it also contains the last version with
 * the old one. The shell then provides everything that one of the versions contains.
 */
export const OFFERED_CONTRACTS: readonly string[] = [CONTRACT_VERSION];

/** The session of the visitor. The state is `unknown` only while the server verifies the stored token. */
export type Session =
  | { readonly state: 'unknown' }
  | { readonly state: 'anonymous' }
  | { readonly state: 'authenticated'; readonly user: UserView; readonly token: string };

export interface Notice {
  /** The message, e.g. of `messageOf`. A second line is the reference of a failed request, which stays longer. */
  readonly text: string;
  readonly tone?: 'info' | 'success' | 'danger';
  /** An action that the notice offers, for example undo. Running the action closes the notice. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** The content that a component displays. The component receives the live messages about this content. */
export interface LiveInterest {
  /** The topics of the messages. Without this property, the page receives all messages. */
  readonly topics?: readonly LiveTopic[];
  /**
   * The key of the query whose data the component displays. If this data may have changed before the subscription
   * began, e.g. while the tab was hidden, the shell invalidates the query.
   */
  readonly queryKey?: readonly unknown[];
}

/** The uploads of a form that continue while the visitor uses other pages. */
export interface BackgroundUploads {
  /** Number of files whose upload has not ended. */
  readonly files: number;
  /** The uploaded fraction of the files, from 0 to 1. */
  readonly share: number;
  /** True while the uploads wait until the server can be reached again. */
  readonly isWaiting: boolean;
  /** Path of the page with the form. */
  readonly to: string;
  readonly cancel: () => void;
}

export interface Host {
  readonly session: Session;
  /** Updates the data of the signed-in user in the shell, for example when a response contains newer data. */
  updateUser(user: UserView): void;
  /** Navigates within the site without a page reload. */
  navigate(to: string, options?: { replace?: boolean; state?: unknown }): void;
  /** Shows a toast, which is a short message. */
  notify(notice: Notice): void;
  /**
   * Calls `listener` for live messages about ads, in order. It receives the messages of `interest`, and those of other
   * components of the page. Older shells ignore `interest` and pass on all messages. Returns a function that
   * unsubscribes.
   */
  onLive(listener: (message: AdLiveMessage) => void, interest?: LiveInterest): () => void;
  /** Does the same as `onLive` for messages about threads. Older shells do not provide this method. */
  onThreadLive?(listener: (message: ThreadLiveMessage) => void, interest?: LiveInterest): () => void;
  /**
   * Calls `listener` once, as soon as the visitor sees the page: neither the age gate nor the guidelines cover it, and
   * its tab is visible. Returns a function that cancels the call. Older shells do not provide this method, because they
   * load a remote only after the guidelines.
   */
  onPageShown?(listener: () => void): () => void;
  /** Language of the visitor. It may change while the remote is mounted. */
  readonly locale: Locale;
  /** Reports that the API rejected the session. The shell signs the visitor out and shows a message. */
  sessionEnded(): void;
  /**
   * Asks the user to enter the password again, because the API requires it for a request. Resolves with false if the
   * user cancels. Older shells do not provide this method.
   */
  confirmPassword?(): Promise<boolean>;
  /**
   * Returns true if this browser still stores the session. If not, the shell signs the visitor out. Older shells do not
   * provide this method.
   */
  hasStoredSession?(): boolean;
  /**
   * Reports that the account was closed. The shell signs the visitor out without a message and deletes the user's data
   * in this browser. Then it loads the path `to`. Older shells do not provide this method.
   */
  accountGone?(to: string): void;
  /**
   * Reports that a page of this front end has thrown an error while rendering. The report names only the front end and
   * its deployment. Older shells do not provide this method.
   */
  reportPageError?(): void;
  /**
   * Returns what an error screen shows about an error: the text of the error, or an id that is in the log. Older shells
   * do not provide this method.
   */
  describeError?(error: unknown): string;
  /**
   * Shows on every page that the uploads of a form continue. `form` is the name of the form, and null means that its
   * uploads have ended or that the form is visible again. Older shells do not provide this method.
   */
  showUploads?(form: string, uploads: BackgroundUploads | null): void;
}

export interface RemoteProps {
  /**
   * Path at which the routes of the remote start. It is always `/`, because the routes of each remote contain complete
   * paths. For example, `mf-community` has routes for `community/*` and `blog/*`. For unknown paths, the shell loads
   * `mf-listings`, which shows the home page.
   */
  readonly basePath: string;
  readonly host: Host;
}

declare global {
  /**
   * Returns the integrity value of a remote's file by its URL. Remotes need it for files that they fetch themselves,
   * such as the code of a worker.
   */
  var alpenglowIntegrity: ((url: string) => string) | undefined;
}

/** The state of the navigation from an unknown path to the home page, where the shell explains it (R-2.23). */
export const UNKNOWN_PATH = { isUnknownPath: true } as const;

/** The name of a remote in the registry, such as `mf-listings`. Remotes are known only from the registry. */
export type RemoteName = string;

/** The entry of a remote in the registry file `/mf/registry.json`. */
export interface RegistryEntry {
  readonly name: RemoteName;
  /**
   * Content hash of the deployment. The files of the deployment are served below `/mf/<name>/<hash>/` and never change.
   */
  readonly hash: string;
  /**
   * The range of contract versions with which the remote works, in the syntax of npm, e.g. `^6.0.0`. The remote's
   * `package.json` declares it.
   */
  readonly contract: string;
  /**
   * True if this shell offers what the remote needs. Only then the shell loads the remote. The server of the shell adds
   * this value and the offered versions, so that browsers need no code for ranges. A browser whose shell differs from
   * that of the server requests the entries for its own versions.
   */
  readonly fits: boolean;
  /** The name of the container of Module Federation. The entry file sets a global variable with this name. */
  readonly container: string;
  /** Name of the entry file. */
  readonly entry: string;
  /**
   * The pages of the remote, if the shell does not know them (shell/src/routes/owners.ts). The remote's `package.json`
   * may declare them.
   */
  readonly routes?: readonly RemoteRoute[];
  /** The shared packages that the shell must provide, with the range of their versions, e.g. `^19.3.0`. */
  readonly packages?: Readonly<Record<string, string>>;
  /** The style tokens of the shell that the remote uses, e.g. `--space-4`. */
  readonly tokens?: readonly string[];
  /** The SHA-256 of each file that is no script and no style sheet, by file name. Only deployments use it. */
  readonly assets?: Readonly<Record<string, string>>;
  /** Names of the files that the first screen needs, entry file first. The first HTML preloads these files. */
  readonly preload: readonly string[];
  /**
   * Names of the text files by language. The source language has no text files, because its texts are part of the code.
   */
  readonly preloadTexts?: Readonly<Partial<Record<Locale, readonly string[]>>>;
  /**
   * API paths that the first screen of a page requests, by path pattern of the page, e.g. `/city/{state}/{city}`. The
   * server uses the first matching pattern and embeds the API responses in the first HTML. In an API path, `{a}` is
   * replaced by the segment of the page's path with this name. `{?a,b}` at the end is replaced by those of the listed
   * query parameters that the page's URL contains. With `{?!a,b}`, the API path is used only if the URL contains one of
   * them. An API path without `{?…}` is used only if the URL has no query.
   * If this property exists, the server renders pages without the query parameters that no path in it names, apart from
   * its own ones.
   * `{country}`, `{state}` and `{city}` match only existing places. The remote's `package.json` may declare the
   * patterns.
   */
  readonly preloadData?: Readonly<Record<string, readonly string[]>>;
  /**
   * The first pictures in the remote's lists. The server preloads these pictures in pages with embedded responses. The
   * remote's `package.json` may declare this value.
   */
  readonly preloadPictures?: PreloadedPictures;
  /**
   * The container with which the server renders the public pages of the remote. If it is missing, only the browser
   * renders them. The remote's `rspack.config.mjs` declares it with `isServerRendered`.
   */
  readonly server?: { readonly integrity: string };
  /** Names of the files of each lazily loaded page, by chunk name. Server-rendered HTML names those that it needs. */
  readonly chunks?: Readonly<Record<string, readonly string[]>>;
  /** Integrity value (`sha256-…`) of each file by file name. The browser does not load a file without such a value. */
  readonly integrity: Readonly<Record<string, string>>;
  readonly sizeBytes: number;
  /** The signature of the deployer and the key, which must be known to the server (shell/build/signing.mjs). */
  readonly signature?: { readonly key: string; readonly value: string };
  /** Time of the deployment, ISO 8601 in UTC. */
  readonly deployedAt: string;
}
/** Pages of a remote. */
export interface RemoteRoute {
  /**
   * A name in braces matches one segment, and a final `*` matches any number of segments, e.g. `/events/*`. The first
   * segment is fixed.
   */
  readonly path: string;
  /** The visitors who may open the pages. `staff` are moderators and admins. */
  readonly access: 'everyone' | 'signed-in' | 'staff';
}
/** Declares that the server preloads the cover pictures of the first ads in a list. */
export interface PreloadedPictures {
  /** Path patterns in the format of the keys of `preloadData`. */
  readonly pages: readonly string[];
  readonly count: number;
  /** The `sizes` attribute of the `<img>` elements that show the cover pictures. */
  readonly sizes: string;
}
export interface Registry {
  readonly remotes: Readonly<Partial<Record<RemoteName, RegistryEntry>>>;
}
