import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording } from '../support/recording.ts';
import type { Asker } from './requests.ts';
import { Known, type KnownKind } from './values.ts';

/** What is to be known of an answer. */
export interface Learned {
  readonly operationId: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How many of each kind are remembered: the last ones. */
const REMEMBERED = 60;
/** These end the session they are called with, so that they are given one nobody misses. */
const ENDS_SESSION = new Set(['logOut', 'refreshSession', 'changePassword']);

/** What is known only from lists. */
const LISTS: Readonly<Record<string, { readonly kind: KnownKind; readonly name: string }>> = {
  listCases: { kind: 'case', name: 'id' },
  listDecisions: { kind: 'decision', name: 'id' },
  listLogEntries: { kind: 'event', name: 'eventId' },
};

/** A running product with people and ads in it, and what its answers have told. */
export class World {
  readonly #tokens = new Map<Asker, string>();
  readonly #known: Record<KnownKind, unknown[]> = {
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
    // Requests name positions that do not exist: each of those waits for this long.
    const product = await startTestProduct({ rateLimits: false, waitPosition_ms: 200 });
    const world = new World(product, apiClient(product.url));
    await world.#populate();
    return world;
  }

  async #populate(): Promise<void> {
    // As old as they have to be to post.
    const recording = await openRecording(this.product);
    const people = { client: 'client', provider: 'provider', other: 'provider', expired: 'provider' } as const;
    for (const [asker, userType] of Object.entries(people))
      await this.#settle(asker as Asker, await recording.member({ userType }));
    await this.#settle('admin', await recording.member({ email: 'admin@example.com' }));
    await this.#settle('unverified', await recording.member({ userType: 'provider', verify: false }));
    await recording.close();
    const pool = new Pool({ connectionString: this.product.databaseUrl });
    await pool.query(`update auth.sessions set expires_at = now() where account_id = $1`, [this.#known.user[3]]);
    await pool.end();
    this.#tokens.set('garbage', 'not-a-token');
  }

  async #settle(asker: Asker, { token, user, email }: Person): Promise<void> {
    this.#tokens.set(asker, token);
    this.#remember('user', user.id);
    this.#remember('email', email);
    if (asker === 'provider' || asker === 'other') this.#remember('ad', (await this.api.postAd(token)).id);
  }

  /** The token a request of this asker carries, or null. */
  tokenOf(asker: Asker, operationId: string): string | null {
    if (ENDS_SESSION.has(operationId) && asker !== 'nobody' && asker !== 'expired')
      return this.#spareTokens.shift() ?? 'not-a-token';
    return this.#tokens.get(asker) ?? null;
  }

  /** The value with whatever its `Known` parts stand for. */
  resolve(value: unknown): unknown {
    if (value instanceof Known) return this.#pick(value);
    if (Array.isArray(value)) return value.map((one) => this.resolve(one));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, this.resolve(inner)] as const);
    // An address and its code go together.
    return Object.fromEntries(
      entries.flatMap(([key, inner]) => (key === 'pair' ? Object.entries(inner as object) : [[key, inner] as const])),
    );
  }

  #pick({ kind, pick }: Known): unknown {
    const all = this.#known[kind];
    if (kind === 'idempotency-key' && pick % 2 === 0) return randomUUID();
    // What was said once may not be said again.
    if (kind === 'words') return `Calm places, and *how* to find them: ${randomUUID()}`;
    return all.length > 0
      ? all[pick % all.length]
      : kind === 'verification'
        ? { email: 'nobody@example.com', code: '000000' }
        : randomUUID();
  }

  #remember(kind: KnownKind, value: unknown): void {
    const all = this.#known[kind];
    if (value === undefined || value === null || all.includes(value)) return;
    all.push(value);
    // What is given from the start stays; of the rest the oldest goes.
    if (all.length > REMEMBERED) all.splice(10, 1);
  }

  /** Takes in what an answer tells, so that later requests can name it. */
  learn({ operationId, status, headers, body }: Learned): void {
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
