import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PASSWORD, sendRequest, type ApiResponse, type RequestOptions } from '../tests/support/api-client.ts';
import type { CallKind, DueLetter, Outcome } from './history.ts';
import type { Pace } from './pace.ts';
import type { Recorder } from './recorder.ts';

const RESPONSE_LIMIT_ms = 15_000;
/**
 * Default time in which a client repeats a call whose outcome is unknown. It is longer than the claim of an
 * Idempotency-Key (60 s), so that another process can take over the call of a process that hangs.
 */
const REPEAT_LIMIT_ms = 90_000;
export const REPEAT_PAUSE_ms = 250;
/** Probability that a client repeats a call whose outcome it knows, as if it had lost the response. */
const REPEAT_CHANCE = 0.1;
/** Error codes of a request that must be repeated, because an earlier attempt may still be running. */
const REPEATABLE = new Set(['IDEMPOTENCY_IN_PROGRESS', 'CONFLICT']);
/** These operations support no Idempotency-Key, so the client does not repeat them. */
const NOT_REPEATED: readonly CallKind[] = ['sign-up', 'verify', 'erase', 'upload'];

interface ErasedPerson {
  readonly call: string;
  /** Texts that occur only in data of this person. */
  readonly texts: readonly string[];
  /** Ids of the account and of its photos. They may remain in events, but not in jobs and names of blobs. */
  readonly ids: readonly string[];
}

/** The settings and records that all clients of a run share. */
export interface Workload {
  readonly url: string;
  /** Text that starts the id of each call. */
  readonly prefix: string;
  readonly adminEmail: string;
  readonly recorder: Recorder;
  readonly random: () => number;
  /** Time in which a client repeats a call whose outcome is unknown. */
  readonly repeatLimit_ms?: number;
  /** Limits the calls that cost much processor time. */
  readonly mayCall: Pace;
  /** Returns the position in the token of a response. */
  readonly positionOf: (token: string) => bigint;
  readonly due: DueLetter[];
  readonly erased: ErasedPerson[];
  /** Ids of ads that exist or existed. */
  readonly adIds: string[];
  isOver: boolean;
}

/** Sends one request. Returns null without a response. */
export async function request(
  url: string,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<ApiResponse | null> {
  const signal = AbortSignal.timeout(RESPONSE_LIMIT_ms);
  return sendRequest(url, method, path, { ...options, signal }).catch(() => null);
}

/** Returns the error code of a response, or an empty text. */
const codeOf = ({ body: { code } }: ApiResponse) => (typeof code === 'string' ? code : '');

/** The result of one command. */
export interface Result {
  readonly id: string;
  readonly outcome: Outcome;
  readonly response: ApiResponse | null;
}

let calls = 0;

/** Sends one command until its outcome is known, and records it. `isDone` recognizes a response with an effect. */
export async function command(
  { url, prefix, recorder, random, repeatLimit_ms = REPEAT_LIMIT_ms }: Workload,
  client: string,
  kind: CallKind,
  [method, path, body]: readonly [string, string, unknown?],
  token: string | null = null,
  isDone: (status: number) => boolean = (status) => status < 300,
): Promise<Result> {
  const id = `${prefix}-${String((calls += 1)).padStart(6, '0')}`;
  recorder.begin(id);
  const start_ms = Date.now();
  let outcome: Outcome = 'unknown';
  let response: ApiResponse | null = null;
  let attempts = 0;
  let serverErrors = 0;
  const send = () =>
    request(url, method, path, {
      ...(token !== null && { token }),
      headers: { 'x-request-id': id, 'idempotency-key': id },
      ...(body !== undefined && { body }),
    });
  const mayRepeat = !NOT_REPEATED.includes(kind);
  do {
    if (attempts > 0) await pause(REPEAT_PAUSE_ms);
    attempts += 1;
    response = await send();
    if (response?.status === 500) serverErrors += 1;
    if (!response || response.status >= 500 || REPEATABLE.has(codeOf(response))) continue;
    if (isDone(response.status)) outcome = 'ok';
    // The effect of an earlier attempt can be the reason for this rejection. A photo is stored before it is checked.
    else if (attempts === 1 && kind !== 'upload') outcome = 'fail';
    break;
  } while (mayRepeat && Date.now() - start_ms < repeatLimit_ms);
  const { status = 0 } = response ?? {};
  const end_ms = Date.now();
  let repetition = outcome === 'ok' && mayRepeat && random() < REPEAT_CHANCE ? await send() : null;
  // The product sends a response even if it could not store it. Repetitions are then rejected until the key is free.
  while (repetition && REPEATABLE.has(codeOf(repetition)) && Date.now() - end_ms < repeatLimit_ms) {
    await pause(REPEAT_PAUSE_ms);
    repetition = await send();
  }
  recorder.record({
    type: 'call',
    id,
    client,
    kind,
    start_ms,
    end_ms,
    attempts,
    outcome,
    status,
    ...(serverErrors > 0 && { serverErrors }),
    ...(repetition && { repeatStatus: repetition.status, repeatCode: codeOf(repetition) }),
  });
  return { id, outcome, response };
}

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly token: string;
}

/** Signs up a person. Returns null if the person cannot be used, because a call had no clear outcome. */
export async function signUp(
  load: Workload,
  client: string,
  userType: 'client' | 'provider',
  { email = `${randomUUID()}@example.com`, verifies = true } = {},
): Promise<Person | null> {
  const name = `Name ${randomUUID().slice(0, 8)}`;
  const body = { email, password: PASSWORD, userType, displayName: name, age: 30 };
  const signedUp = await command(load, client, 'sign-up', ['POST', '/api/auth/signup', body]);
  if (signedUp.outcome !== 'ok') return null;
  const { token, user, verificationCode } = signedUp.response?.body as {
    token: string;
    user: { id: string };
    verificationCode: string;
  };
  if (!verifies) {
    load.due.push({ calls: [signedUp.id], to: email, text: verificationCode });
    return null;
  }
  const verification = { email, code: verificationCode };
  const verified = await command(load, client, 'verify', ['POST', '/api/auth/verify-email', verification], token);
  return verified.outcome === 'ok' ? { id: user.id, email, name, token } : null;
}
