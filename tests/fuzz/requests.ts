import type { JsonSchema, ParameterObject, RequestBodyObject } from '@alpenglow/domain/api';
import fc from 'fast-check';
import { apiDocument, documentedOperations, type DocumentedOperation } from '../support/api-document.ts';
import {
  hostileText,
  hostileValue,
  placeholder,
  Placeholder,
  nearlyValid,
  propertiesOf,
  resolveSchema,
  valid,
  type PlaceholderKind,
} from './values.ts';

/** Generates random requests from the API document. */

const REQUESTERS = ['guest', 'client', 'provider', 'other', 'admin', 'unverified', 'expired', 'garbage'] as const;
export type Requester = (typeof REQUESTERS)[number];

/** A generated request. Its `Placeholder` parts are replaced by values of the running product before it is sent. */
export interface FuzzRequest {
  readonly call: DocumentedOperation;
  /** HTTP method of the operation, or sometimes another method. */
  readonly method: string;
  readonly requester: Requester;
  /** Parts of the path. Raw parts are sent unchanged, and all other parts are encoded. */
  readonly path: readonly (string | Placeholder | { readonly raw: string })[];
  readonly query: readonly (readonly [string, unknown])[];
  readonly headers: Readonly<Record<string, string | Placeholder>>;
  readonly body: Sent;
}
type Sent =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'raw'; readonly text: string };

/**
 * Relative frequencies of requests, by operation. All other operations have the frequency `USUAL_WEIGHT`. Rare
 * operations are slow, or delete data that other requests need.
 */
const WEIGHTS: Readonly<Record<string, number>> = {
  signUp: 2,
  logIn: 3,
  exportOwnData: 4,
  exportDataOf: 4,
  changePassword: 2,
  resetPassword: 3,
  verifyEmail: 4,
  forceSync: 2,
  logOut: 2,
  refreshSession: 3,
  deleteUser: 3,
  deleteAd: 4,
  deleteAdAsAdmin: 3,
  discardArticle: 3,
  clearVerificationCodes: 3,
  deleteVerificationCodes: 3,
  uploadPhotos: 2,
  uploadVideo: 2,
  postAd: 30,
  updateAd: 20,
  startThread: 20,
  replyToThread: 30,
  hidePost: 4,
  lockThread: 4,
  listAds: 30,
  getAd: 20,
};
const USUAL_WEIGHT = 12;

const PATH_KINDS: Readonly<Record<string, PlaceholderKind>> = {
  mediaId: 'media',
  slug: 'article',
  number: 'post-number',
  reference: 'report',
  receiptId: 'receipt',
  eventId: 'event',
  id: 'ad',
};
/**
 * Kinds of objects that the parameter `{id}` of a path identifies. The first entry that is the beginning of the path
 * applies.
 */
const ID_KINDS: readonly (readonly [path: string, PlaceholderKind])[] = [
  ['/community/', 'thread'],
  ['/moderation/cases/', 'case'],
  ['/account/decisions/', 'decision'],
  ['/admin/rules/', 'rule'],
  ['/admin/identity/', 'user'],
  ['/admin/users', 'user'],
];
/** Operations that close or erase an account. The account in their path is one that no other request needs. */
const ENDS_ACCOUNT = new Set(['deleteUser', 'erasePerson']);
const QUERY_KINDS: Readonly<Record<string, PlaceholderKind>> = { cursor: 'cursor' };
const BODY_KINDS: Readonly<Record<string, PlaceholderKind>> = {
  adId: 'ad',
  email: 'email',
  body: 'words',
  subject: 'subject',
};
const HEADER_KINDS: Readonly<Record<string, PlaceholderKind>> = {
  'If-Match': 'etag',
  'If-None-Match': 'etag',
  'X-Wait-Position': 'position',
  'Idempotency-Key': 'idempotency-key',
};

const often = <T>(usual: fc.Arbitrary<T>, weight: number, other: fc.Arbitrary<T>, otherWeight: number) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: otherWeight, arbitrary: other });

function parametersOf({ operation }: DocumentedOperation, location: ParameterObject['in']): readonly ParameterObject[] {
  return (operation.parameters ?? [])
    .map(
      (parameter) => ('$ref' in parameter ? resolveSchema({ ...parameter }) : parameter) as unknown as ParameterObject,
    )
    .filter((parameter) => parameter.in === location);
}

function kindInPath({ path, operation }: DocumentedOperation, name: string): PlaceholderKind | null {
  if (ENDS_ACCOUNT.has(operation.operationId)) return 'disposable-user';
  if (operation.operationId === 'listFavorites') return 'user';
  const [, kind] = (name === 'id' && ID_KINDS.find(([part]) => path.includes(part))) || [];
  return kind ?? PATH_KINDS[name] ?? null;
}

function pathOf(call: DocumentedOperation): fc.Arbitrary<FuzzRequest['path']> {
  const ofPath = parametersOf(call, 'path');
  const parts = call.path
    .split('/')
    .filter((part) => part !== '')
    .map((part): fc.Arbitrary<FuzzRequest['path'][number]> => {
      const parameter = ofPath.find(({ name }) => part === `{${name}}`);
      if (!parameter) return fc.constant(part);
      const kind = kindInPath(call, parameter.name);
      const usual =
        kind === null
          ? often(fc.constant(String(parameter.example)), 3, valid(parameter.schema).map(String), 1)
          : placeholder(kind);
      const hostile = fc.oneof(
        valid(parameter.schema).map((value) => (value instanceof Placeholder ? value : String(value))),
        hostileText,
        fc.constantFrom('%', '%2e%2e', '%00', '%ff', 'a%2fb', '%E0%A4%A', ';', '@').map((raw) => ({ raw })),
      );
      return often<FuzzRequest['path'][number]>(usual, 9, hostile, 2);
    });
  return fc.tuple(...parts);
}

function queryOf(call: DocumentedOperation): fc.Arbitrary<FuzzRequest['query']> {
  const offered = parametersOf(call, 'query');
  const one = ({ name, schema, example }: ParameterObject): fc.Arbitrary<readonly [string, unknown]> => {
    const kind = QUERY_KINDS[name];
    const usual = kind ? placeholder(kind) : often<unknown>(fc.constant(example), 3, valid(schema), 1);
    return often<unknown>(
      usual,
      12,
      fc.oneof(
        nearlyValid(schema).filter((value) => typeof value !== 'object'),
        hostileText,
      ),
      1,
    ).map((value) => [name, value] as const);
  };
  const some =
    offered.length === 0
      ? fc.constant([])
      : fc
          .subarray([...offered], { maxLength: Math.min(4, offered.length) })
          .chain((chosen) => fc.tuple(...chosen.map(one)));
  const undeclared = fc
    .tuple(fc.oneof(hostileText, fc.constantFrom(...offered.map(({ name }) => name), 'x')), hostileText)
    .map((pair) => [pair] as const);
  return often<FuzzRequest['query']>(
    some,
    15,
    fc.tuple(some, undeclared).map(([first, more]) => [...first, ...more]),
    1,
  );
}

/** Hostile text that is allowed in a header value. */
const headerText = hostileText.map((text) =>
  text
    .replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/gu, '')
    .slice(0, 2_000)
    .trim(),
);

function headersOf(call: DocumentedOperation): fc.Arbitrary<FuzzRequest['headers']> {
  const offered = parametersOf(call, 'header');
  const entries = offered.map(({ name, schema, example }) => {
    const kind = HEADER_KINDS[name];
    const usual = kind ? placeholder(kind) : fc.oneof(fc.constant(String(example)), valid(schema).map(String));
    const bytes = fc.constantFrom(
      'bytes=0-',
      'bytes=-5',
      'bytes=5-2',
      'bytes=999999999-',
      'bytes=0-0,2-3',
      'bytes=',
      'lines=1-2',
      'bytes=-0',
    );
    return [name, often<string | Placeholder>(usual, 4, name === 'Range' ? bytes : headerText, 1)] as const;
  });
  const chosen = entries
    .filter(([name]) => name !== 'X-Request-Id')
    .map(([name, value]) => fc.record({ [name]: value }));
  const own = often<FuzzRequest['headers']>(
    fc.constant({}),
    2,
    chosen.length === 0 ? fc.constant({}) : fc.oneof(...chosen),
    1,
  );
  const undeclared = fc.constantFrom<Record<string, string>>(
    { 'Content-Encoding': 'gzip' },
    { 'Content-Encoding': 'br' },
    { 'Content-Encoding': 'x' },
    { Accept: 'text/xml' },
    { 'Accept-Encoding': 'gzip' },
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'application/xml' },
    { 'Content-Type': 'application/json; charset=utf-16' },
    { 'Content-Type': 'application/json; charset=x' },
    { 'Content-Type': 'multipart/form-data' },
    { 'Content-Type': 'multipart/form-data; boundary=' },
    { 'Content-Type': '/' },
    { 'X-HTTP-Method-Override': 'DELETE' },
    { Origin: 'https://evil.example' },
    { Cookie: 'a=b' },
    { 'X-Forwarded-For': '::, x' },
    { 'If-Modified-Since': 'yesterday' },
    { 'If-Range': '"x"' },
    { 'Idempotency-Key': '' },
  );
  return often<FuzzRequest['headers']>(
    own,
    12,
    fc.tuple(own, undeclared).map(([first, more]) => ({ ...first, ...more })),
    1,
  );
}

function bodyOf({ operation }: DocumentedOperation): fc.Arbitrary<Sent> {
  const requestBody = resolveSchema({ ...operation.requestBody }) as Partial<RequestBodyObject>;
  const json = requestBody.content?.['application/json'];
  const rawText = fc.oneof(
    fc.constantFrom(
      '',
      '{',
      '}',
      'null',
      '[]',
      '"text"',
      '1',
      '{"a":1}x',
      '\ufeff{}',
      '{"a":1,"a":2}',
      '{"__proto__":{"isAdmin":true}}',
      '{"constructor":{"prototype":{"x":1}}}',
      '{"title":"\\ud800"}',
      '{"title":"\\u0000"}',
      '{"age":1e999}',
      '{"age":-1e-999}',
      "{'a':1}",
      '{"a":NaN}',
    ),
    fc.integer({ min: 10, max: 15_000 }).map((depth) => `{"title":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    fc.constant(`{"title":"${'x'.repeat(66_000)}"}`),
    fc.string({ unit: 'binary', maxLength: 100 }),
  );
  const raw = rawText.map((text): Sent => ({ kind: 'raw', text }));
  if (!json?.schema) return often<Sent>(fc.constant({ kind: 'none' }), 12, raw, 1);
  const schema = resolveSchema(json.schema);
  const properties = propertiesOf(schema);
  const names = Object.keys(properties);
  const example = json.example as Readonly<Record<string, unknown>>;
  const propertyOf = (name: string): JsonSchema => properties[name] ?? {};

  const asKnown = fc.record(
    Object.fromEntries(
      Object.keys(example).map((name) => [
        name,
        BODY_KINDS[name]
          ? fc.oneof(
              { weight: 6, arbitrary: placeholder(BODY_KINDS[name]) },
              { weight: 1, arbitrary: fc.constant(example[name]) },
            )
          : fc.constant(example[name]),
      ]),
    ),
  );
  const base: fc.Arbitrary<Record<string, unknown>> =
    operation.operationId === 'verifyEmail'
      ? fc.oneof(
          asKnown,
          placeholder('verification').map((pair) => ({ pair })),
        )
      : operation.operationId === 'signUp'
        ? fc
            .tuple(asKnown, fc.uuid(), fc.constantFrom('client', 'provider'))
            .map(([all, name, userType]) => ({ ...all, email: `${name}@example.com`, userType }))
        : asKnown;
  const changedBody = (change: (schema: JsonSchema) => fc.Arbitrary<unknown>) =>
    fc
      .tuple(base, fc.constantFrom(...names))
      .chain(([all, name]) => change(propertyOf(name)).map((value) => ({ ...all, [name]: value })));
  const without = fc
    .tuple(base, fc.constantFrom(...names))
    .map(([all, name]) => Object.fromEntries(Object.entries(all).filter(([key]) => key !== name)));
  const additionalProperties = fc
    .tuple(
      base,
      fc.dictionary(
        fc.oneof(
          hostileText,
          fc.constantFrom('id', 'isFeatured', 'verified', 'isAdmin', 'createdAt', 'is_active', 'phone_number'),
        ),
        hostileValue,
        { maxKeys: 3 },
      ),
    )
    .map(([all, more]) => ({ ...more, ...all }));
  const value = fc.oneof<fc.MaybeWeightedArbitrary<unknown>[]>(
    { weight: 8, arbitrary: base },
    { weight: 6, arbitrary: changedBody(valid) },
    { weight: 2, arbitrary: valid(schema) },
    { weight: 3, arbitrary: changedBody(nearlyValid) },
    { weight: 2, arbitrary: without },
    { weight: 2, arbitrary: additionalProperties },
    { weight: 1, arbitrary: hostileValue },
  );
  return often<Sent>(
    value.map((one): Sent => ({ kind: 'json', value: one })),
    14,
    raw,
    1,
  );
}

/** Generates the account that sends a request. Most requests are sent by an account with permission. */
function requesterOf({ operation, path }: DocumentedOperation): fc.Arbitrary<Requester> {
  const anyRequester = fc.constantFrom(...REQUESTERS);
  if (operation.security?.length === 0) return anyRequester;
  if (path.startsWith('/admin/')) return often<Requester>(fc.constant('admin'), 3, anyRequester, 1);
  if (/review|favorite/u.test(path)) return often<Requester>(fc.constantFrom('client', 'admin'), 3, anyRequester, 1);
  // Admins send more of these requests, because the number of posts per hour is limited for other accounts.
  if (path.startsWith('/community/'))
    return often<Requester>(fc.constantFrom('provider', 'other', 'client', 'admin', 'admin'), 3, anyRequester, 1);
  return often<Requester>(fc.constantFrom('provider', 'other', 'client'), 3, anyRequester, 1);
}

function requestTo(call: DocumentedOperation): fc.Arbitrary<FuzzRequest> {
  const method = often(
    fc.constant(call.method),
    40,
    fc.constantFrom('HEAD', 'PATCH', 'OPTIONS', 'PUT', 'DELETE', 'GET'),
    1,
  );
  return fc.record({
    call: fc.constant(call),
    method,
    requester: requesterOf(call),
    path: pathOf(call),
    query: queryOf(call),
    headers: headersOf(call),
    body: bodyOf(call),
  });
}

/** Generators of requests, by operation id. */
export const requestsTo: ReadonlyMap<string, fc.Arbitrary<FuzzRequest>> = new Map(
  documentedOperations.map((call) => [call.operation.operationId, requestTo(call)]),
);

/** Generates a request to any operation of `requestsTo`. */
export const anyRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...[...requestsTo].map(([operationId, arbitrary]) => ({
    weight: WEIGHTS[operationId] ?? USUAL_WEIGHT,
    arbitrary,
  })),
);

export const operationIds: readonly string[] = Object.values(apiDocument.paths).flatMap((methods) =>
  Object.values(methods).map(({ operationId }) => operationId),
);
