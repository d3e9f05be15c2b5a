import { randomUUID } from 'node:crypto';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording } from '../support/recording.ts';
import type { Requester } from './requests.ts';
import { Placeholder, type PlaceholderKind } from './values.ts';
import { createTestPool } from '../support/database.ts';

/** Parts of a response that `World` reads. */
export interface LearnedResponse {
  readonly operationId: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Maximum number of stored values of each kind. If there are more values, older values are removed. */
const REMEMBERED = 60;
/** Operations that end the session of their request. Their requests use a session that no other request needs. */
const ENDS_SESSION = new Set(['logOut', 'refreshSession', 'changePassword']);

/** Operations whose lists contain ids that no other response contains. */
const LISTS: Readonly<Record<string, { readonly kind: PlaceholderKind; readonly name: string }>> = {
  listCases: { kind: 'case', name: 'id' },
  listDecisions: { kind: 'decision', name: 'id' },
  listLogEntries: { kind: 'event', name: 'eventId' },
};

/** A running product with accounts and ads. It stores values of responses, so that later requests can use them. */
export class World {
  readonly #tokens = new Map<Requester, string>();
  readonly #known: Record<PlaceholderKind, unknown[]> = {
    ad: [],
    case: [],
    report: [],
    decision: [],
    rule: [],
    receipt: [],
    event: [],
    article: ['meeting-safely'],
    thread: [],
    'post-number': [0, 0, 0, 1, 1, 2, 3, 50, 999_999],
    subject: [{ kind: 'article', id: 'meeting-safely' }],
    words: [],
    user: [],
    'disposable-user': [],
    media: ['demo-01', 'demo-02'],
    email: ['nobody@example.com'],
    verification: [],
    cursor: [
      '',
      Buffer.from('bumped 0000-01-01T00:00:00.000Z x').toString('base64url'),
      Buffer.from('price 99999999999 x').toString('base64url'),
      Buffer.from('newest 2026-02-31T00:00:00.000Z x').toString('base64url'),
      Buffer.from('2026-02-31T00:00:00.000Z x').toString('base64url'),
    ],
    position: ['0', '1', '-1', 'x'],
    etag: ['*', '"0"', '"1"', 'W/"1"', '"99999999999999"', '"x"'],
    'idempotency-key': ['a', 'key-1', 'key-2', 'key-3', 'key-4', ' ', 'ä', 'x'.repeat(129)],
  };
  readonly #spareTokens: string[] = [];

  private constructor(
    readonly product: TestProduct,
    readonly api: ApiClient,
  ) {}

  static async start(): Promise<World> {
    // Some requests name a position that does not exist. The product waits for such a position, so the time limit is
    // short.
    const product = await startTestProduct({ rateLimits: false, waitPosition_ms: 200 });
    const world = new World(product, apiClient(product.url));
    await world.#populate();
    return world;
  }

  async #populate(): Promise<void> {
    // The accounts signed up long enough ago to post in the community.
    const recording = await openRecording(this.product);
    const people = { client: 'client', provider: 'provider', other: 'provider', expired: 'provider' } as const;
    for (const [requester, userType] of Object.entries(people))
      await this.#addAccount(requester as Requester, await recording.member({ userType }));
    await this.#addAccount('admin', await recording.member({ email: 'admin@example.com' }));
    await this.#addAccount('unverified', await recording.member({ userType: 'provider', verify: false }));
    await recording.close();
    const pool = createTestPool(this.product.databaseUrl);
    await pool.query(`update auth.sessions set expires_at = now() where account_id = $1`, [this.#known.user[3]]);
    await pool.end();
    this.#tokens.set('garbage', 'not-a-token');
  }

  async #addAccount(requester: Requester, { token, user, email }: Person): Promise<void> {
    this.#tokens.set(requester, token);
    this.#remember('user', user.id);
    this.#remember('email', email);
    if (requester === 'provider' || requester === 'other') this.#remember('ad', (await this.api.postAd(token)).id);
  }

  /** Returns the session token for a request of this account, or null for a guest. */
  tokenOf(requester: Requester, operationId: string): string | null {
    if (ENDS_SESSION.has(operationId) && requester !== 'guest' && requester !== 'expired')
      return this.#spareTokens.shift() ?? 'not-a-token';
    return this.#tokens.get(requester) ?? null;
  }

  /** Returns `value` with all placeholders replaced. */
  resolve(value: unknown): unknown {
    if (value instanceof Placeholder) return this.#pick(value);
    if (Array.isArray(value)) return value.map((one) => this.resolve(one));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, this.resolve(inner)] as const);
    // A pair consists of an e-mail address and its verification code, which are sent as two fields.
    return Object.fromEntries(
      entries.flatMap(([key, inner]) => (key === 'pair' ? Object.entries(inner as object) : [[key, inner] as const])),
    );
  }

  #pick({ kind, pick }: Placeholder): unknown {
    const all = this.#known[kind];
    if (kind === 'idempotency-key' && pick % 2 === 0) return randomUUID();
    // The product rejects repeated texts, so each generated text is unique.
    if (kind === 'words') return `Calm places, and *how* to find them: ${randomUUID()}`;
    return all.length > 0
      ? all[pick % all.length]
      : kind === 'verification'
        ? { email: 'nobody@example.com', code: '000000' }
        : randomUUID();
  }

  #remember(kind: PlaceholderKind, value: unknown): void {
    const all = this.#known[kind];
    if (value === undefined || value === null || all.includes(value)) return;
    all.push(value);
    // The first ten values are always retained. If there are too many values, the oldest other value is removed.
    if (all.length > REMEMBERED) all.splice(10, 1);
  }

  /** Stores the values of a response, so that later requests can use them. */
  learn({ operationId, status, headers, body }: LearnedResponse): void {
    if (status >= 300) return;
    this.#remember('position', headers['x-position']);
    this.#remember('etag', headers['etag']);
    this.#remember('cursor', body['nextCursor']);
    const {
      token,
      user,
      verificationCode: code,
    } = body as { token?: string; user?: { id: string; email: string }; verificationCode?: string };
    if (typeof token === 'string') this.#spareTokens.push(token);
    if (operationId === 'signUp' && user) {
      this.#remember('disposable-user', user.id);
      if (code !== undefined) this.#remember('verification', { email: user.email, code });
    }
    const { id, slug, receiptId, decisionId } = (body['data'] ?? {}) as {
      id?: string;
      slug?: string;
      receiptId?: string;
      decisionId?: string | null;
    };
    this.#remember('receipt', receiptId);
    this.#remember('decision', decisionId);
    this.#remember('report', body['reference']);
    if (operationId === 'draftHidingRule') this.#remember('rule', id);
    const listed = LISTS[operationId];
    if (listed)
      for (const one of body['data'] as readonly Readonly<Record<string, unknown>>[])
        this.#remember(listed.kind, one[listed.name]);
    if (operationId === 'startThread') {
      this.#remember('thread', id);
      this.#remember('subject', { kind: 'post', id: `${id}-0` });
    }
    if (operationId === 'draftArticle') this.#remember('article', slug);
    const { ad } = body as { ad?: { id: string } };
    if (operationId === 'postAd') this.#remember('ad', ad?.id);
    if (operationId === 'deleteAd' || operationId === 'deleteAdAsAdmin')
      this.#known.ad = this.#known.ad.filter((id) => id !== ad?.id);
    if (operationId === 'logIn' || operationId === 'signUp') this.#remember('email', user?.email);
  }

  stop(): Promise<void> {
    return this.product.stop();
  }
}
