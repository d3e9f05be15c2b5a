import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { createSigner } from '../security/signer.ts';
import { toNetworkKeys } from './client-address.ts';

/** Name of the cookie that identifies a browser to the account operations. */
const BROWSER_COOKIE = 'alpenglow_browser';
const COOKIE = new RegExp(`(?:^|;)\\s*${BROWSER_COOKIE}=([\\w-]{22})((?:\\.[\\w-]{43}){0,5})\\s*(?:;|$)`, 'u');
const ID_bytes = 16;
/** Maximum number of accounts for which the cookie of a browser has a signature. */
const ACCOUNTS_MAX = 5;
const LIFETIME_ms = 365 * 24 * 60 * 60_000;

interface BrowserOptions {
  /** The secrets that sign cookies (hex), separated by commas. The first one signs, and all of them are valid. */
  readonly secret: string;
  /** Returns a keyed hash of a text. Events contain the hash, so that they contain no id and no network address. */
  readonly hashKey: (text: string) => string;
  /** True if the site is reachable by HTTPS only. */
  readonly isSecure: boolean;
}

interface BrowserToken {
  readonly id: string;
  readonly signatures: readonly string[];
}

/**
 * Recognizes browsers by a cookie (decision 0056). The cookie contains a random id, and a signature for each account to
 * which this browser has logged in. It grants no access. A mailed code works in the browser that requested it, and a
 * known browser is not affected by failed logins of other clients.
 */
export type Browsers = ReturnType<typeof createBrowsers>;

export function createBrowsers({ secret, hashKey, isSecure }: BrowserOptions) {
  const signer = createSigner(secret, 'browser');
  /** Cookies that a response sets, by request. */
  const issued = new WeakMap<Request, BrowserToken>();

  const find = (req: Request): BrowserToken | null => issued.get(req) ?? readCookie(req.get('cookie'));
  const toText = (id: string, accountId: string) => `${id}.${accountId}`;
  const toHash = (accountId: string, client: string) => hashKey(`requester ${accountId} ${client}`);

  function set(req: Request, res: Response, token: BrowserToken): void {
    issued.set(req, token);
    res.cookie(BROWSER_COOKIE, [token.id, ...token.signatures].join('.'), {
      httpOnly: true,
      sameSite: 'strict',
      secure: isSecure || req.secure,
      path: '/api',
      maxAge: LIFETIME_ms,
    });
  }

  /** Returns the cookie of a browser. A browser without a cookie receives a new one with the response. */
  function identify(req: Request, res: Response): BrowserToken {
    const existing = find(req);
    if (existing) return existing;
    const token = createToken();
    set(req, res, token);
    return token;
  }

  return {
    /** Returns the keyed hash that identifies the browser to one account, or null if the request has no cookie. */
    findHash(req: Request, accountId: string): string | null {
      const token = find(req);
      return token && toHash(accountId, token.id);
    },
    /** Returns the keyed hash that identifies the browser to one account. Sets a cookie if there is none. */
    identifyHash: (req: Request, res: Response, accountId: string): string => toHash(accountId, identify(req, res).id),
    /**
     * Returns the keyed hashes of the client that requests a code. A client without a cookie receives one. It may not
     * store cookies, so it is also identified by its network.
     */
    identifyRequesters(req: Request, res: Response, accountId: string): readonly string[] {
      const hadCookie = find(req) !== null;
      const browser = toHash(accountId, identify(req, res).id);
      return hadCookie ? [browser] : [browser, toHash(accountId, toNetworkKeys(req.ip).subscriber)];
    },
    /** Returns the keyed hashes under which a client may have requested a code. */
    findRequesters(req: Request, accountId: string): readonly string[] {
      const token = find(req);
      const network = toHash(accountId, toNetworkKeys(req.ip).subscriber);
      return token ? [toHash(accountId, token.id), network] : [network];
    },
    /** Returns the keyed hash of a browser that has logged in to this account before, or null. */
    findKnown(req: Request, accountId: string): string | null {
      const token = find(req);
      const isKnown = token?.signatures.some((signature) => signer.isValid(toText(token.id, accountId), signature));
      return token && isKnown === true ? toHash(accountId, token.id) : null;
    },
    /** Marks the browser as known to an account. `subject` is the account id for an account with an owner. */
    markKnown(req: Request, res: Response, subject: string): void {
      const { id, signatures } = find(req) ?? createToken();
      const signature = signer.sign(toText(id, subject));
      const others = signatures.filter((other) => other !== signature);
      set(req, res, { id, signatures: [signature, ...others].slice(0, ACCOUNTS_MAX) });
    },
  };
}

function createToken(): BrowserToken {
  return { id: randomBytes(ID_bytes).toString('base64url'), signatures: [] };
}

function readCookie(header: string | undefined): BrowserToken | null {
  const [, id, signatures] = COOKIE.exec(header ?? '') ?? [];
  return id === undefined ? null : { id, signatures: (signatures ?? '').split('.').filter(Boolean) };
}
