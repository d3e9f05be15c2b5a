import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PASSWORD, validAd } from '../tests/support/api-client.ts';
import { BURST, readAdPage } from './clients.ts';
import { command, REPEAT_PAUSE_ms, request, signUp, type Person, type Workload } from './command.ts';
import { uniqueWord } from '../tests/support/unique-word.ts';

/** Each reply has several jobs, so the pause between two groups of them is long. */
const PAUSE_ms = 2_000;
const REPLIES_PER_THREAD = 60;
/** Followers of a thread. With so few, each follower gets a separate mail job. */
const FOLLOWERS = 3;
const DECISION_PAUSE_ms = 2_000;
/** Number of attempts until the case of a new report exists. */
const CLAIM_ATTEMPTS = 20;
const REBUILD_PAUSE_ms = { least: 5_000, most: 20_000 };
/** Rebuilds take at most about a fifth of the time, because the log grows and the machine has few cores. */
const PAUSE_PER_REBUILD = 4;
const REBUILD_LIMIT_ms = 60_000;
const REBUILD_POLL_ms = 500;
export const PLACE = { country: 'us', state: 'NV', city: 'Las Vegas' } as const;
/** A shift of the clock that dates a reply to the day before, so that its daily mail is due. */
const DIGEST_SHIFT_ms = -25 * 60 * 60_000;

/** The admin of the installation, who is also its only moderator. */
export interface Admin {
  /** Returns the session, and signs in if necessary. Returns null while this is not possible. */
  signIn(): Promise<Person | null>;
  /** Must be called after a response with status 401. */
  signOut(): void;
}

/** Creates the admin. The account is created by the first sign-in. */
export function createAdmin(load: Workload, client: string): Admin {
  let person: Promise<Person | null> | null = null;
  async function open(): Promise<Person | null> {
    const signedUp = await signUp(load, client, 'client', { email: load.adminEmail });
    if (signedUp) return signedUp;
    // The account may exist although its sign-up had no clear outcome.
    const body = { email: load.adminEmail, password: PASSWORD };
    const login = await request(load.url, 'POST', '/api/auth/login', { body });
    if (login?.status !== 200) return null;
    const { token, user } = login.body as { token: string; user: { id: string } };
    return { id: user.id, email: load.adminEmail, name: '', token };
  }
  return {
    async signIn() {
      person ??= open();
      const found = await person;
      if (found === null) person = null;
      return found;
    },
    signOut: () => (person = null),
  };
}

/** Calls `work` with the session of the admin until the load is over. */
async function whileSignedIn(load: Workload, admin: Admin, work: (session: Person) => Promise<unknown>): Promise<void> {
  while (!load.isOver) {
    const session = await admin.signIn();
    if (session) await work(session);
    else await pause(REPEAT_PAUSE_ms);
  }
}

/** A thread of the admin. `call` is the call that started it. */
interface Thread {
  readonly id: string;
  readonly title: string;
  readonly call: string;
}

async function startThread(load: Workload, client: string, { token }: Person): Promise<Thread | number> {
  const title = `Thread ${randomUUID()}`;
  const body = { ...PLACE, title, body: `Text ${randomUUID()}` };
  const { id: call, response } = await command(load, client, 'thread', ['POST', '/api/community/threads', body], token);
  const { id } = (response?.body['data'] ?? {}) as { id?: string };
  return id === undefined ? (response?.status ?? 0) : { id, title, call };
}

/** Sends several replies without waiting for the responses. Returns the calls that were acknowledged. */
async function replyAtOnce(load: Workload, client: string, { token }: Person, thread: Thread, count: number) {
  const replies = await Promise.all(
    Array.from({ length: count }, () => {
      const reply = { body: `Reply ${randomUUID()}` };
      return command(load, client, 'reply', ['POST', `/api/community/threads/${thread.id}/replies`, reply], token);
    }),
  );
  return {
    acknowledged: replies.filter(({ outcome }) => outcome === 'ok').map(({ id }) => id),
    isRejected: replies.some(({ outcome }) => outcome === 'fail'),
  };
}

/** Lets a follower follow a thread. Returns the call if it was acknowledged. */
async function follow(load: Workload, { token }: Person, { id }: Thread, mail: 'instant' | 'daily') {
  const path = `/api/community/threads/${id}/follow`;
  const followed = await command(load, 'follower', 'follow', ['PUT', path, { mail }], token);
  return followed.outcome === 'ok' ? followed.id : null;
}

/** Signs up persons who follow threads. Persons whose sign-up has no clear outcome are left out. */
export async function signUpFollowers(load: Workload): Promise<readonly Person[]> {
  const people = Array.from({ length: FOLLOWERS }, () => signUp(load, 'follower', 'client'));
  return (await Promise.all(people)).filter((person) => person !== null);
}

/**
 * The admin writes in the community, because the limits for new members do not apply to admins. The followers of a
 * thread get a mail about its first reply. Mails about later replies follow only after ten minutes.
 */
export async function runCommunity(load: Workload, admin: Admin, followers: readonly Person[]): Promise<void> {
  const client = 'admin';
  await whileSignedIn(load, admin, async (session) => {
    const thread = await startThread(load, client, session);
    if (typeof thread === 'number') {
      if (thread === 401) admin.signOut();
      await pause(PAUSE_ms);
      return;
    }
    const follows = await Promise.all(followers.map((person) => follow(load, person, thread, 'instant')));
    const first = await replyAtOnce(load, client, session, thread, 1);
    for (const [index, call] of follows.entries()) {
      const [reply] = first.acknowledged;
      const to = followers[index]?.email ?? '';
      if (call !== null && reply !== undefined)
        load.due.push({ calls: [thread.call, call, reply], to, text: thread.title, kind: 'replies' });
    }
    for (let n = 0; n < REPLIES_PER_THREAD && !load.isOver; n += BURST) {
      const { isRejected } = await replyAtOnce(load, client, session, thread, BURST);
      if (isRejected) break;
      await pause(PAUSE_ms);
    }
  });
}

/**
 * Writes a thread with a reply of yesterday, so that a daily mail to each follower is due. `shiftClocks` changes the
 * clocks of all processes that accept commands, and returns when they have changed.
 */
export async function prepareDigests(
  load: Workload,
  admin: Admin,
  followers: readonly Person[],
  shiftClocks: (shift_ms: number) => Promise<void>,
): Promise<void> {
  const session = await admin.signIn();
  if (!session) return;
  await shiftClocks(DIGEST_SHIFT_ms);
  const thread = await startThread(load, 'admin', session);
  if (typeof thread !== 'number') {
    const follows = await Promise.all(followers.map((person) => follow(load, person, thread, 'daily')));
    const { acknowledged } = await replyAtOnce(load, 'admin', session, thread, 1);
    for (const [index, call] of follows.entries()) {
      const [reply] = acknowledged;
      const to = followers[index]?.email ?? '';
      if (call !== null && reply !== undefined)
        load.due.push({ calls: [thread.call, call, reply], to, text: thread.title, kind: 'digest' });
    }
  }
  await shiftClocks(0);
}

/**
 * Decides about reported ads. The ad of an own provider is hidden, its page must then be gone, and the provider must
 * get a mail about the decision. Other reported ads stay online, so that their providers still read them.
 */
export async function runModeration(load: Workload, admin: Admin): Promise<void> {
  const client = 'moderator';
  /** An ad can be claimed only once, because a second claim of the same moderator has no event. */
  const claimed = new Set<string>();

  async function decide({ token }: Person, adId: string, outcome: 'hidden' | 'kept', attempts: number) {
    const path = `/api/admin/moderation/cases/ad-${adId}`;
    claimed.add(adId);
    for (let attempt = 1; attempt <= attempts && !load.isOver; attempt += 1) {
      const claim = await command(load, client, 'claim', ['POST', `${path}/claim`], token);
      if (claim.response?.status === 401) admin.signOut();
      if (claim.outcome === 'unknown' || (claim.outcome === 'fail' && claim.response?.status !== 404)) return null;
      if (claim.outcome === 'ok') {
        const decision = { outcome, rule: 'spam', facts: `Facts ${randomUUID()}` };
        return command(load, client, 'decide', ['POST', `${path}/decide`, decision], token);
      }
      await pause(REPEAT_PAUSE_ms);
    }
    return null;
  }

  await whileSignedIn(load, admin, async (session) => {
    await pause(DECISION_PAUSE_ms);
    const reported = load.adIds.find((id) => !claimed.has(id));
    if (reported !== undefined) await decide(session, reported, 'kept', 1);
    const provider = await signUp(load, client, 'provider');
    if (!provider) return;
    const { token, email, name } = provider;
    const ad = { ...validAd, name, title: `Title ${uniqueWord()}` };
    const posted = await command(load, client, 'post', ['POST', '/api/ads', ad], token);
    if (posted.outcome !== 'ok') return;
    const { id } = (posted.response?.body as { ad: { id: string } }).ad;
    const report = { subject: { kind: 'ad', id }, reason: 'spam' };
    if ((await command(load, client, 'report', ['POST', '/api/reports', report])).outcome !== 'ok') return;
    const decided = await decide(session, id, 'hidden', CLAIM_ATTEMPTS);
    if (decided?.outcome !== 'ok') return;
    await readAdPage(load, client, decided, id, null);
    const { decisionId } = decided.response?.body['data'] as { decisionId: string };
    load.due.push({ calls: [posted.id, decided.id], to: email, text: decisionId });
  });
}

/** Rebuilds one projection after the other, and swaps in or discards the new tables. */
export async function runRebuilds(load: Workload, admin: Admin): Promise<void> {
  const client = 'rebuilder';
  let last_ms = 0;
  await whileSignedIn(load, admin, async ({ token }) => {
    const { least, most } = REBUILD_PAUSE_ms;
    const pause_ms = Math.max(least + load.random() * (most - least), PAUSE_PER_REBUILD * last_ms);
    const until_ms = Date.now() + pause_ms;
    while (Date.now() < until_ms && !load.isOver) await pause(REPEAT_PAUSE_ms);
    const names = [...(await readRebuilds(load, token)).keys()];
    const name = names[Math.floor(load.random() * names.length)];
    if (name === undefined || load.isOver) return;
    const start_ms = Date.now();
    const send = (kind: 'rebuild' | 'swap' | 'cancel') =>
      command(load, client, kind, ['POST', `/api/admin/projections/${name}/${kind}`], token);
    const requested = await send('rebuild');
    if (requested.response?.status === 401) admin.signOut();
    if (requested.outcome !== 'ok') return;
    await waitForRebuild(load, token, name, (state) => state === 'ready' || state === 'failed');
    // Such a request is rejected if the rebuild has failed, or is not ready yet.
    await send(load.random() < 0.8 ? 'swap' : 'cancel');
    // A swap at the end of the load would disturb the comparison of the tables.
    await waitForRebuild(load, token, name, (state) => !['running', 'checking', 'swapping'].includes(state));
    last_ms = Date.now() - start_ms;
  });
}

async function waitForRebuild(load: Workload, token: string, name: string, isDone: (state: string) => boolean) {
  let until_ms = Date.now() + REBUILD_LIMIT_ms;
  let wasOver = false;
  while (Date.now() < until_ms) {
    // After the load, this wait is at most as long as those of the other clients.
    if (load.isOver && !wasOver) until_ms = Math.min(until_ms, Date.now() + (load.repeatLimit_ms ?? Infinity));
    wasOver = load.isOver;
    const state = (await readRebuilds(load, token)).get(name);
    if (state !== undefined && isDone(state)) return;
    await pause(REBUILD_POLL_ms);
  }
}

/** Returns the state of the last rebuild of each projection. The map is empty if it cannot be read. */
async function readRebuilds({ url }: Workload, token: string): Promise<ReadonlyMap<string, string>> {
  const read = await request(url, 'GET', '/api/admin/projections', { token });
  if (read?.status !== 200) return new Map();
  const { data } = read.body as { data: readonly { name: string; rebuild: { state: string } | null }[] };
  return new Map(data.map(({ name, rebuild }) => [name, rebuild?.state ?? 'none']));
}
