import fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOf, faultsOf } from '../support/api-document.ts';
import { pictures } from '../support/pictures.ts';
import { isFullRun } from '../support/sample.ts';
import { mp4 } from '../support/videos.ts';
import { anyRequest, operationIds, type FuzzRequest } from './requests.ts';
import {
  retryAfter_ms,
  sendPatiently,
  wire,
  type Attempted,
  type Patience,
  type WireAnswer,
  type WireRequest,
} from './send.ts';
import { World } from './world.ts';

/**
 * Requests made of openapi.yaml, good, nearly good and hostile, from everybody at once: none may bring the product down, hang, be answered
 * with what the document does not have, or change anything when it is refused. A product that is busy may say so with 503 and `Retry-After`: then
 * the request is sent again, as a good client does. `FUZZ_SEED` repeats another run, `FUZZ_REQUESTS` makes it longer.
 */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_101);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? (isFullRun ? 20_500 : 2_500));
/** How often every call is made at least. */
const LEAST_CALLS = Math.max(1, Math.floor(REQUESTS / 1_000));
const BATCH = 500;
/** Enough that requests meet each other, and few enough for a machine that has other work. */
const AT_ONCE = 8;
const TIMEOUT_ms = 60_000;
/** A product that is still busy after that does not answer this request at all. */
const PATIENCE: Patience = { attempts: 30, total_ms: 120_000 };
const SHOWN = 20;

/**
 * Refused calls that record that they were: attempts at a code count, whoever fails has one less. An upload that is unfit is recorded and taken
 * back. A post is admitted before its thread takes it, and somebody may close the thread in between.
 */
const RECORDED_REFUSALS: Readonly<Record<string, readonly string[]>> = {
  verifyEmail: ['EmailVerificationFailed'],
  resetPassword: ['PasswordResetFailed'],
  startThread: ['PostAdmitted'],
  replyToThread: ['PostAdmitted'],
  uploadPhotos: ['MediaUploaded', 'MediaRejected', 'MediaRemoved'],
  uploadVideo: ['MediaUploaded', 'MediaRejected', 'MediaRemoved'],
};

/** Calls in several steps that a busy product may break off, and that are finished by the same call once more (decision 0049). */
const FINISHED_BY_REPEATING: Readonly<Record<string, readonly string[]>> = {
  deleteUser: ['AdDeleted', 'AdUnfavorited', 'ThreadUnfollowed', 'AccountClosed'],
  signUp: ['AccountRegistered', 'EmailVerificationIssued', 'SignUpRepeated'],
};

let world: World;
let network: ReturnType<typeof wire>;
/** Which call each refused request was, by its request id. */
const refused = new Map<string, string>();
/** The request ids of attempts that were told to come again, and whose request was done then. */
const repeated = new Set<string>();
/** The request ids of what was not refused. */
const accepted = new Set<string>();
const counts = new Map<string, Map<number, number>>();
/** How many attempts were told to come again later. */
let busy = 0;
const faults: string[] = [];
let sent = 0;

beforeAll(async () => {
  world = await World.start();
  network = wire(world.product.url, { connections: AT_ONCE, timeout_ms: TIMEOUT_ms });
});
afterAll(async () => {
  network?.close();
  await world?.stop();
});

function encoded(part: FuzzRequest['path'][number]): string {
  if (typeof part === 'object' && 'raw' in part) return part.raw;
  return encodeURIComponent(String(world.resolve(part)).toWellFormed());
}

function toWire({ call, method, asker, path, query, headers, body }: FuzzRequest): WireRequest {
  const { operationId } = call.operation;
  const token = world.tokenOf(asker, operationId);
  const pairs = query.map(
    ([name, value]) =>
      `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(String(world.resolve(value)).toWellFormed())}`,
  );
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      String(world.resolve(value)).replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/gu, ''),
    ]),
  );
  const text =
    body.kind === 'none' || method === 'HEAD'
      ? null
      : body.kind === 'raw'
        ? body.text
        : JSON.stringify(world.resolve(body.value));
  return {
    method,
    target: `/api/${path.map(encoded).join('/')}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`,
    headers: {
      'Content-Type': 'application/json',
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...own,
    },
    body: text === null ? null : Buffer.from(text, 'utf8'),
  };
}

/** Sends a request, and notes what became of it. */
async function ask(operationId: string, asked: WireRequest): Promise<void> {
  const told = () =>
    `${asked.method} ${asked.target.slice(0, 300)} ${JSON.stringify(asked.headers).slice(0, 300)} ${(asked.body?.toString('utf8') ?? '').slice(0, 300)}`;
  sent += 1;
  let attempted: Attempted;
  try {
    attempted = await sendPatiently(network.send, asked, PATIENCE);
  } catch (error) {
    faults.push(`no answer (${String(error)}): ${told()}`);
    return;
  }
  for (const answer of attempted.busy) look(operationId, asked, answer, told);
  busy += attempted.busy.length;
  if (attempted.last.status < 400)
    for (const { headers } of attempted.busy) repeated.add(String(headers['x-request-id']));
  const { status, headers, text } = attempted.last;
  const wrong =
    status < 500
      ? null
      : retryAfter_ms(attempted.last) === null
        ? 'it is our fault'
        : `still busy after ${attempted.busy.length + 1} attempts`;
  look(operationId, asked, attempted.last, told, wrong);
  const ofStatus = counts.get(operationId) ?? new Map<number, number>();
  counts.set(operationId, ofStatus.set(status, (ofStatus.get(status) ?? 0) + 1));
  if (status < 400 && String(headers['content-type']).startsWith('application/json') && text !== '')
    world.learn({ operationId, status, headers, body: JSON.parse(text) as Record<string, unknown> });
}

/** Notes what is wrong with an answer, and whether the request of its id was refused. */
function look(
  operationId: string,
  { method, target }: WireRequest,
  { status, headers, text }: WireAnswer,
  told: () => string,
  alsoWrong: string | null = null,
): void {
  const wrong = faultsOf(method, target, {
    status,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    text,
  });
  if (alsoWrong !== null) wrong.push(alsoWrong);
  if (wrong.length > 0) faults.push(`${status} ${wrong.join('; ')}: ${told()} → ${text.slice(0, 300)}`);
  const requestId = String(headers['x-request-id']);
  if (status >= 400) refused.set(requestId, operationId);
  else accepted.add(requestId);
}

/** What a request turned out to be: a path that was changed on the way may be another call. */
function operationOf(request: FuzzRequest, { method, target }: WireRequest): string {
  return (
    callOf(method, target)?.operation.operationId ??
    (method === request.call.method ? 'no such call' : 'another method')
  );
}

async function inParallel<Item>(items: Iterator<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const worker = async () => {
    for (let next = items.next(); next.done !== true; next = items.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function* batches(): Generator<FuzzRequest> {
  for (let from = 0; from < REQUESTS; from += BATCH)
    yield* fc.sample(anyRequest, { numRuns: Math.min(BATCH, REQUESTS - from), seed: SEED + from });
}

/** Nothing went wrong since this was asked last. */
function expectNoFault(): void {
  const all = faults.splice(0);
  expect(all.slice(0, SHOWN), `${all.length} faults, FUZZ_SEED=${SEED}`).toEqual([]);
}

test(`${REQUESTS} requests made of the API document`, async () => {
  await inParallel(batches(), (request) => {
    const asked = toWire(request);
    return ask(operationOf(request, asked), asked);
  });
  expectNoFault();
  expect(sent).toBeGreaterThanOrEqual(REQUESTS);
});

test('uploads: whole, broken, and of what they are not', async () => {
  const files = await Promise.all([
    pictures.jpeg(200, 150),
    pictures.truncatedJpeg(),
    pictures.svg(),
    pictures.pngInName(),
    pictures.empty(),
    mp4({ seconds: 1 }),
  ]);
  const boundary = 'fuzz-boundary';
  const part = fc.record({
    field: fc.constantFrom('own', 'own', 'own', 'photos', 'video', '', '__proto__'),
    name: fc.constantFrom('a.jpg', '', '../x', '\u00ff".png'),
    file: fc.nat(files.length - 1),
  });
  const upload = fc.record({
    kind: fc.constantFrom('photos', 'video'),
    asker: fc.constantFrom('provider', 'client', 'nobody', 'expired'),
    parts: fc.array(part, { maxLength: 3 }),
    end: fc.constantFrom(`--${boundary}--\r\n`, `--${boundary}--\r\n`, `--${boundary}--`, '', '--', `--${boundary}`),
  });
  const whole = ['photos', 'video'].map((kind) => ({
    kind,
    asker: 'provider' as const,
    parts: [{ field: kind, name: 'a', file: kind === 'photos' ? 0 : 5 }],
    end: `--${boundary}--\r\n`,
  }));
  for (const { kind, asker, parts, end } of [...whole, ...fc.sample(upload, { numRuns: 60, seed: SEED })]) {
    const chunks = parts.map(({ field, name, file }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${field === 'own' ? kind : field}"; filename="${name}"\r\nContent-Type: image/jpeg\r\n\r\n`,
        'latin1',
      ),
      files[file] ?? Buffer.alloc(0),
      Buffer.from('\r\n'),
    ]);
    const operationId = kind === 'photos' ? 'uploadPhotos' : 'uploadVideo';
    const token = world.tokenOf(asker, operationId);
    await ask(operationId, {
      method: 'POST',
      target: `/api/uploads/${kind}`,
      headers: {
        'Content-Type': `multipart/form-data; boundary=${boundary}`,
        ...(token !== null && { Authorization: `Bearer ${token}` }),
      },
      body: Buffer.concat([...chunks.flat(), Buffer.from(end)]),
    });
  }
  expectNoFault();
});

test('every call was made, and a good part of them was answered rather than refused', () => {
  const table = [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([id, statuses]) =>
        `  ${id.padEnd(24)} ${[...statuses]
          .sort(([a], [b]) => a - b)
          .map(([status, count]) => `${status}×${count}`)
          .join('  ')}`,
    );
  const all = [...counts.values()].flatMap((statuses) => [...statuses]);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  const good = all.filter(([status]) => status < 400).reduce((sum, [, count]) => sum + count, 0);
  process.stdout.write(
    `fuzz: seed ${SEED}, ${total} requests, ${good} done, ${total - good} refused, ${busy} attempts too early for a busy product\n${table.join('\n')}\n`,
  );
  const callsOf = (id: string) => [...(counts.get(id)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  expect(operationIds.filter((id) => callsOf(id) < LEAST_CALLS)).toEqual([]);
  expect(good / total).toBeGreaterThan(0.3);
});

test('a refused request changed nothing', async () => {
  const client = new Client({ connectionString: world.product.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ type: string; id: string }>(
    `select type, meta->>'correlationId' as id from es.events`,
  );
  await client.end();
  // An event says which request it came of: otherwise nothing would be found here, whatever was written.
  expect(rows.filter(({ id }) => accepted.has(id)).length).toBeGreaterThan(100);
  expect(refused.size).toBeGreaterThan(REQUESTS / 20);
  const written = rows.flatMap(({ type, id }) => {
    const operationId = refused.get(id);
    const isFinished =
      operationId !== undefined && repeated.has(id) && FINISHED_BY_REPEATING[operationId]?.includes(type) === true;
    return operationId === undefined || isFinished || RECORDED_REFUSALS[operationId]?.includes(type) === true
      ? []
      : [`${type} by a refused ${operationId}`];
  });
  expect(written).toEqual([]);
});
