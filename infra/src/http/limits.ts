/**
 * How often the same visitor or account may call (product decisions, "Limits on rates"): generous for a person, strict where guessing,
 * mail or other people's contact details are at stake. Every limit that a call falls under counts it.
 */
export interface Limit {
  /** Names the count, together with whose it is. */
  readonly name: string;
  readonly methods: readonly string[];
  /** Below `/api`. */
  readonly path: RegExp;
  /**
   * Whose calls are counted together: those of one network address; of one signed-in account (of an address, where nobody is signed in); or
   * those about one e-mail address, whoever asks.
   */
  readonly per: 'address' | 'account' | 'email';
  readonly max: number;
  readonly window_s: number;
}

const MINUTE_s = 60;
const HOUR_s = 60 * MINUTE_s;
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

export const LIMITS: readonly Limit[] = [
  // Beside the delay that grows with failures (login-delay.ts).
  { name: 'login', methods: ['POST'], path: /^\/auth\/login\/?$/iu, per: 'address', max: 60, window_s: 15 * MINUTE_s },
  { name: 'sign-up', methods: ['POST'], path: /^\/auth\/signup\/?$/iu, per: 'address', max: 60, window_s: HOUR_s },
  // Each password tried with a taken address is a mail to its owner (decision 0022).
  { name: 'sign-up-mails', methods: ['POST'], path: /^\/auth\/signup\/?$/iu, per: 'email', max: 6, window_s: HOUR_s },
  {
    name: 'codes',
    methods: ['POST'],
    path: /^\/auth\/(?:verify-email|reset-password|resend-verification|forgot-password)\/?$/iu,
    per: 'address',
    max: 60,
    window_s: HOUR_s,
  },
  {
    name: 'code-guesses',
    methods: ['POST'],
    path: /^\/auth\/(?:verify-email|reset-password)\/?$/iu,
    per: 'email',
    max: 20,
    window_s: HOUR_s,
  },
  {
    name: 'code-mails',
    methods: ['POST'],
    path: /^\/auth\/(?:resend-verification|forgot-password)\/?$/iu,
    per: 'email',
    max: 6,
    window_s: HOUR_s,
  },
  // Guesses at a password, and at receipts.
  { name: 'erasure', methods: ['POST'], path: /^\/account\/erasure\/?$/iu, per: 'account', max: 10, window_s: HOUR_s },
  {
    name: 'receipts',
    methods: ['GET', 'HEAD'],
    path: /^\/account\/erasure\//iu,
    per: 'address',
    max: 120,
    window_s: MINUTE_s,
  },
  {
    name: 'password-change',
    methods: ['POST'],
    path: /^\/auth\/change-password\/?$/iu,
    per: 'account',
    max: 10,
    window_s: HOUR_s,
  },
  // Guesses at a code, and secrets that were never confirmed.
  {
    name: 'two-step',
    methods: ['POST'],
    path: /^\/auth\/two-step\/(?:setup|confirm|disable)\/?$/iu,
    per: 'account',
    max: 20,
    window_s: HOUR_s,
  },
  // Up to 20 MB each, which are decoded while the asker waits.
  {
    name: 'identity',
    methods: ['POST'],
    path: /^\/account\/identity\/?$/iu,
    per: 'account',
    max: 10,
    window_s: HOUR_s,
  },
  { name: 'sync', methods: ['POST'], path: /^\/sync\/force\/?$/iu, per: 'address', max: 10, window_s: MINUTE_s },
  {
    name: 'sync-status',
    methods: ['GET', 'HEAD'],
    path: /^\/sync\/status\/?$/iu,
    per: 'address',
    max: 120,
    window_s: MINUTE_s,
  },
  // One ad is where phone and social links are (design, trust and privacy).
  {
    name: 'contact-details',
    methods: ['GET', 'HEAD'],
    path: /^\/ads\/(?!(?:user|featured|counts)\/?$)[^/]+\/?$/iu,
    per: 'address',
    max: 240,
    window_s: 10 * MINUTE_s,
  },
  // Kept as it was handed in, for a day where no ad shows it: up to 100 MB each, of anybody who has signed up.
  { name: 'videos', methods: ['POST'], path: /^\/uploads\/video\/?$/iu, per: 'account', max: 20, window_s: HOUR_s },
  { name: 'uploads', methods: ['POST'], path: /^\/uploads\//iu, per: 'account', max: 100, window_s: HOUR_s },
  {
    name: 'reviews',
    methods: ['POST'],
    path: /^\/ads\/[^/]+\/reviews\/?$/iu,
    per: 'account',
    max: 20,
    window_s: HOUR_s,
  },
  // Beside what the domain allows an account an hour, which refused posts do not count in.
  {
    name: 'posts',
    methods: ['POST'],
    path: /^\/community\/threads(?:\/[^/]+\/replies)?\/?$/iu,
    per: 'account',
    max: 120,
    window_s: HOUR_s,
  },
  // Each keeps what the post said before, and whoever asks for its history has all of that rendered.
  {
    name: 'edits',
    methods: ['PUT'],
    path: /^\/community\/threads\/[^/]+\/posts\/[^/]+\/?$/iu,
    per: 'account',
    max: 30,
    window_s: HOUR_s,
  },
  // Set and taken back without end, they would grow streams that are folded whole.
  {
    name: 'marks',
    methods: WRITES,
    path: /^\/community\/threads\/[^/]+\/(?:follow|posts\/[^/]+\/helpful)\/?$/iu,
    per: 'account',
    max: 300,
    window_s: HOUR_s,
  },
  {
    name: 'previews',
    methods: ['POST'],
    path: /^\/community\/preview\/?$/iu,
    per: 'account',
    max: 60,
    window_s: MINUTE_s,
  },
  // Each reads a good part of the history.
  {
    name: 'exports',
    methods: ['GET', 'HEAD'],
    path: /^\/account\/export\/?$/iu,
    per: 'account',
    max: 6,
    window_s: 24 * HOUR_s,
  },
  // A visitor's id is made up, and each has a stream of its own.
  { name: 'consents', methods: ['POST'], path: /^\/consents\/?$/iu, per: 'address', max: 60, window_s: HOUR_s },
  // Without a login, and some reasons hide what is reported at once.
  { name: 'reports', methods: ['POST'], path: /^\/reports\/?$/iu, per: 'address', max: 10, window_s: HOUR_s },
  {
    name: 'reports-of-day',
    methods: ['POST'],
    path: /^\/reports\/?$/iu,
    per: 'address',
    max: 30,
    window_s: 24 * HOUR_s,
  },
  { name: 'writes', methods: WRITES, path: /^\/(?!admin(?:\/|$))/iu, per: 'account', max: 120, window_s: MINUTE_s },
  {
    name: 'admin',
    methods: ['GET', 'HEAD', ...WRITES],
    path: /^\/admin(?:\/|$)/iu,
    per: 'account',
    max: 600,
    window_s: MINUTE_s,
  },
];

/** Calls that carry the e-mail address a limit counts by. */
export const isAboutEmail = (method: string, path: string): boolean =>
  limitsOf(method, path).some(({ per }) => per === 'email') || isLogin(method, path);
export const isLogin = (method: string, path: string): boolean =>
  method === 'POST' && /^\/auth\/login\/?$/iu.test(path);

const byMethod = new Map<string, readonly Limit[]>(
  ['GET', 'HEAD', ...WRITES].map((method) => [method, LIMITS.filter(({ methods }) => methods.includes(method))]),
);

/** The limits a call falls under; `path` is the one below `/api`. */
export function limitsOf(method: string, path: string): readonly Limit[] {
  return (byMethod.get(method) ?? []).filter((limit) => limit.path.test(path));
}

/** Reads of any kind, for which each process counts alone: a list is answered faster than a shared count is kept. */
export const READS = { max: 2_000, window_s: 10 } as const;

/** Logins that fail for one e-mail address: this many pass undelayed, then each waits twice as long as the one before. */
export const LOGIN_DELAY = { freeFailures: 5, first_s: 2, longest_s: 300, window_s: HOUR_s } as const;
