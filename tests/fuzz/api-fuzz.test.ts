import fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationOf, responseViolationsOf } from '../support/api-document.ts';
import { pictures } from '../support/pictures.ts';
import { mp4 } from '../support/videos.ts';
import { anyRequest, operationIds, requestsTo, type FuzzRequest } from './requests.ts';
import {
  retryAfter_ms,
  sendPatiently,
  createWireClient,
  type Attempts,
  type RetryLimits,
  type WireResponse,
  type WireRequest,
} from './send.ts';
import { Volume } from '../support/volume.ts';
import { World } from './world.ts';

/**
 * Sends valid, nearly valid and hostile requests that are generated from openapi.yaml. All kinds of accounts send such
 * requests in parallel. No request may crash the product, hang, or get an undocumented response. A rejected request
 * must not change data. A request is repeated if the product responds with status 503 and `Retry-After`. `FUZZ_SEED`
 * repeats an earlier run. `FUZZ_REQUESTS` sets the number of requests.
 */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_101);
const volume = new Volume({
  name: 'random requests',
  short: 1_250,
  minimum: 1_250,
  maximum: 20_500,
  time_s: 90,
  chosen: process.env['FUZZ_REQUESTS'],
});
/** Minimum number of requests to each operation of the API, however few requests this run makes. */
const MIN_REQUESTS_PER_OPERATION = 3;
/** Returns the minimum number of requests to each operation of the API. A longer run makes more. */
const minRequestsPerOperation = () => Math.max(MIN_REQUESTS_PER_OPERATION, Math.floor(volume.count / 1_000));
/**
 * Number of additional requests for each missing request to an operation. One in forty requests has another method or
 * path, so it does not reach the operation.
 */
const ADDITIONAL_REQUESTS = 5;
const BATCH = 500;
/**
 * Number of parallel requests. It is high enough to cause conflicts between requests, and low enough for a busy
 * machine.
 */
const MAX_PARALLEL = 8;
const TIMEOUT_ms = 60_000;
/** Limits of the repetitions of a request. A product that is still busy afterwards is reported as a violation. */
const PATIENCE: RetryLimits = { attempts: 30, total_ms: 120_000 };
const MAX_REPORTED_VIOLATIONS = 20;

/**
 * Types of events that a rejected request may append. For example, the product counts a wrong code, and it records and
 * removes an invalid upload. `PostAdmitted` is appended before the thread rejects a post.
 */
const EVENTS_OF_REJECTED_REQUESTS: Readonly<Record<string, readonly string[]>> = {
  verifyEmail: ['EmailVerificationFailed'],
  resetPassword: ['PasswordResetFailed'],
  startThread: ['PostAdmitted'],
  replyToThread: ['PostAdmitted'],
  uploadPhotos: ['MediaUploaded', 'MediaRejected', 'MediaRemoved'],
  uploadVideo: ['MediaUploaded', 'MediaRejected', 'MediaRemoved'],
  finishUpload: ['MediaUploaded', 'MediaRejected', 'MediaRemoved'],
};

/**
 * Types of events that a request may append before a busy product interrupts it. A repeated request completes the
 * remaining steps (decision 0049).
 */
const EVENTS_OF_RETRIED_REQUESTS: Readonly<Record<string, readonly string[]>> = {
  deleteUser: [
    'CaseOpened',
    'CaseDecided',
    'AdHidden',
    'AdDeleted',
    'AdHoldLifted',
    'AdUnfavorited',
    'ThreadUnfollowed',
    'AccountClosed',
  ],
  deleteAdAsAdmin: ['CaseOpened', 'CaseDecided', 'AdHidden'],
  signUp: ['AccountRegistered', 'EmailVerificationIssued', 'SignUpRepeated', 'AdUnfavorited', 'ThreadUnfollowed'],
};

let world: World;
let network: ReturnType<typeof createWireClient>;
/** Operation of each rejected request, by request id. */
const rejected = new Map<string, string>();
/** Request ids of attempts that the product rejected as busy, if a later attempt of the same request succeeded. */
const repeated = new Set<string>();
/** Request ids of the successful requests. */
const accepted = new Set<string>();
const counts = new Map<string, Map<number, number>>();
/** Number of attempts that the product rejected because it was busy. */
let busy = 0;
const violations: string[] = [];
let sent = 0;

beforeAll(async () => {
  world = await World.start();
  network = createWireClient(world.product.url, { connections: MAX_PARALLEL, timeout_ms: TIMEOUT_ms });
});
afterAll(async () => {
  network?.close();
  await world?.stop();
});

function encoded(part: FuzzRequest['path'][number]): string {
  if (typeof part === 'object' && 'raw' in part) return part.raw;
  return encodeURIComponent(String(world.resolve(part)).toWellFormed());
}

function toWire({ call, method, requester, path, query, headers, body }: FuzzRequest): WireRequest {
  const { operationId } = call.operation;
  const token = world.tokenOf(requester, operationId);
  const pairs = query.map(
    ([name, value]) =>
      `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(String(world.resolve(value)).toWellFormed())}`,
  );
  const ownHeaders = Object.fromEntries(
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
      ...ownHeaders,
    },
    body: text === null ? null : Buffer.from(text, 'utf8'),
  };
}

/** Sends a request, repeats it while the product is busy, and records the result. */
async function sendAndRecord(operationId: string, wireRequest: WireRequest): Promise<void> {
  const describeRequest = () =>
    `${wireRequest.method} ${wireRequest.target.slice(0, 300)} ${JSON.stringify(wireRequest.headers).slice(0, 300)} ` +
    `${(wireRequest.body?.toString('utf8') ?? '').slice(0, 300)}`;
  sent += 1;
  let attempts: Attempts;
  try {
    attempts = await sendPatiently(network.send, wireRequest, PATIENCE);
  } catch (error) {
    violations.push(`no response (${String(error)}): ${describeRequest()}`);
    return;
  }
  for (const response of attempts.busy) recordResponse(operationId, wireRequest, response, describeRequest);
  busy += attempts.busy.length;
  if (attempts.last.status < 400)
    for (const { headers } of attempts.busy) repeated.add(String(headers['x-request-id']));
  const { status, headers, text } = attempts.last;
  const unexpectedStatus =
    status < 500
      ? null
      : retryAfter_ms(attempts.last) === null
        ? 'an internal error'
        : `still busy after ${attempts.busy.length + 1} attempts`;
  recordResponse(operationId, wireRequest, attempts.last, describeRequest, unexpectedStatus);
  const statusCounts = counts.get(operationId) ?? new Map<number, number>();
  counts.set(operationId, statusCounts.set(status, (statusCounts.get(status) ?? 0) + 1));
  if (status < 400 && String(headers['content-type']).startsWith('application/json') && text !== '')
    world.learn({ operationId, status, headers, body: JSON.parse(text) as Record<string, unknown> });
}

/** Records whether the request was rejected. Also records how the response deviates from the API document. */
function recordResponse(
  operationId: string,
  { method, target }: WireRequest,
  { status, headers, text }: WireResponse,
  describeRequest: () => string,
  additionalViolation: string | null = null,
): void {
  const responseViolations = responseViolationsOf(method, target, {
    status,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    text,
  });
  if (additionalViolation !== null) responseViolations.push(additionalViolation);
  if (responseViolations.length > 0)
    violations.push(`${status} ${responseViolations.join('; ')}: ${describeRequest()} → ${text.slice(0, 300)}`);
  const requestId = String(headers['x-request-id']);
  if (status >= 400) rejected.set(requestId, operationId);
  else accepted.add(requestId);
}

/** Returns the id of the operation that a request reaches. A changed path may reach another operation. */
function reachedOperation(request: FuzzRequest, { method, target }: WireRequest): string {
  return (
    operationOf(method, target)?.operation.operationId ??
    (method === request.call.method ? 'unknown operation' : 'another method')
  );
}

async function inParallel<Item>(items: Iterator<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const worker = async () => {
    for (let next = items.next(); next.done !== true; next = items.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, worker));
}

function requestCount(operationId: string): number {
  return [...(counts.get(operationId)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
}

/** Generates random requests. Then generates additional requests for operations that received too few requests. */
function* batches(): Generator<FuzzRequest> {
  for (let requests: FuzzRequest[] = []; volume.takeNext(); ) {
    if (requests.length === 0) requests = fc.sample(anyRequest, { numRuns: BATCH, seed: SEED + volume.count - 1 });
    const next = requests.shift();
    if (next !== undefined) yield next;
  }
  for (const [operationId, requests] of requestsTo) {
    if (requestCount(operationId) < minRequestsPerOperation())
      yield* fc.sample(requests, { numRuns: ADDITIONAL_REQUESTS * minRequestsPerOperation(), seed: SEED });
  }
}

/** Expects that no violations were recorded since the last call of this function. */
function expectNoViolation(): void {
  const all = violations.splice(0);
  expect(all.slice(0, MAX_REPORTED_VIOLATIONS), `${all.length} violations, FUZZ_SEED=${SEED}`).toEqual([]);
}

test('random requests get only documented responses', async () => {
  await inParallel(batches(), (request) => {
    const wireRequest = toWire(request);
    return sendAndRecord(reachedOperation(request, wireRequest), wireRequest);
  });
  expectNoViolation();
  expect(sent).toBeGreaterThanOrEqual(volume.count);
});

test('complete, broken and mislabelled uploads get only documented responses', async () => {
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
    requester: fc.constantFrom('provider', 'client', 'guest', 'expired'),
    parts: fc.array(part, { maxLength: 3 }),
    end: fc.constantFrom(`--${boundary}--\r\n`, `--${boundary}--\r\n`, `--${boundary}--`, '', '--', `--${boundary}`),
  });
  const whole = ['photos', 'video'].map((kind) => ({
    kind,
    requester: 'provider' as const,
    parts: [{ field: kind, name: 'a', file: kind === 'photos' ? 0 : 5 }],
    end: `--${boundary}--\r\n`,
  }));
  for (const { kind, requester, parts, end } of [...whole, ...fc.sample(upload, { numRuns: 60, seed: SEED })]) {
    const chunks = parts.map(({ field, name, file }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${field === 'own' ? kind : field}"; ` +
          `filename="${name}"\r\nContent-Type: image/jpeg\r\n\r\n`,
        'latin1',
      ),
      files[file] ?? Buffer.alloc(0),
      Buffer.from('\r\n'),
    ]);
    const operationId = kind === 'photos' ? 'uploadPhotos' : 'uploadVideo';
    const token = world.tokenOf(requester, operationId);
    await sendAndRecord(operationId, {
      method: 'POST',
      target: `/api/uploads/${kind}`,
      headers: {
        'Content-Type': `multipart/form-data; boundary=${boundary}`,
        ...(token !== null && { Authorization: `Bearer ${token}` }),
      },
      body: Buffer.concat([...chunks.flat(), Buffer.from(end)]),
    });
  }
  expectNoViolation();
});

test('every operation was called, and enough requests were successful', () => {
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
  const successful = all.filter(([status]) => status < 400).reduce((sum, [, count]) => sum + count, 0);
  process.stdout.write(
    `fuzz: seed ${SEED}, ${total} requests, ${successful} done, ${total - successful} rejected, ` +
      `${busy} attempts rejected as busy\n${table.join('\n')}\n`,
  );
  expect(operationIds.filter((id) => requestCount(id) < minRequestsPerOperation())).toEqual([]);
  expect(successful / total).toBeGreaterThan(0.3);
});

test('a rejected request changed no data', async () => {
  const client = new Client({ connectionString: world.product.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ type: string; id: string }>(
    `select type, meta->>'correlationId' as id from es.events`,
  );
  await client.end();
  // Checks that events contain the id of their request, because the check below depends on these ids.
  expect(rows.filter(({ id }) => accepted.has(id)).length).toBeGreaterThan(volume.count / 50);
  expect(rejected.size).toBeGreaterThan(volume.count / 20);
  const written = rows.flatMap(({ type, id }) => {
    const operationId = rejected.get(id);
    const isFinished =
      operationId !== undefined && repeated.has(id) && EVENTS_OF_RETRIED_REQUESTS[operationId]?.includes(type) === true;
    return operationId === undefined || isFinished || EVENTS_OF_REJECTED_REQUESTS[operationId]?.includes(type) === true
      ? []
      : [`${type} by a rejected ${operationId}`];
  });
  expect(written).toEqual([]);
});
