import { failureMessage } from '../../calls.ts';
import { ERRORS, type ErrorCode } from '../../errors.ts';
import { PRODUCT_NAME } from '../../constants.ts';
import {
  errorsOf,
  OF_NO_CALL,
  type Access,
  type Answer,
  type FilesBody,
  type JsonBody,
  type Operation,
  type Tag,
} from '../operation.ts';
import { OPERATIONS } from '../operations.ts';
import { errorAnswer } from '../schemas/errors.ts';
import { ANSWER_HEADERS, REQUEST_HEADERS } from './headers.ts';
import type { Content, OpenApiDocument, OperationObject, ParameterObject, ResponseObject } from './openapi.ts';
import { inlineSchema, namedSchemas, refOf } from './schemas.ts';

const TAGS: Readonly<Record<Tag, string>> = {
  Accounts: 'Signing up and in, sessions, verification codes, the own profile.',
  Ads: 'Finding ads, and a provider’s own ad.',
  Uploads: 'Photos and videos, up and down.',
  Favorites: 'The ads a client keeps.',
  Community: 'Threads by place, posts, follows, reports.',
  Blog: 'Articles.',
  Search: 'Over threads, articles and ads.',
  Reports: 'What anybody may say is wrong with something, and what became of it.',
  Admin: 'For admins alone.',
  Moderation: 'Reports, decisions and appeals. Needs a moderator; every admin is one.',
  System: 'Health, read models, the live channel, this document.',
};

const ABOUT = [
  'A request writes only events; everything that is read follows from them a moment later. Hand `X-Position` of a write back as `X-Wait-Position` of a read to see your own write.',
  'Every refusal is a problem of RFC 9457, `application/problem+json`: programs look at `code`, people read `message`.',
  'Any call may be refused with 429, which says in `Retry-After` how long to wait. What is no call here is refused with 404, `NOT_FOUND`, and another method of one that is with 405, `METHOD_NOT_ALLOWED`.',
].join('\n\n');

/** The API as an OpenAPI 3.1 document, made of the schemas the handlers use. */
export function openApiDocument({ version }: { readonly version: string }): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: `${PRODUCT_NAME} API`,
      version,
      summary: 'Classified ads for adult companionship services (18+).',
      description: ABOUT,
      license: { name: 'All rights reserved', identifier: 'LicenseRef-Proprietary' },
      contact: { name: PRODUCT_NAME, url: '/about' },
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/api', description: 'Where this document is served.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: paths(),
    components: {
      schemas: namedSchemas(),
      parameters: REQUEST_HEADERS,
      headers: ANSWER_HEADERS,
      responses: refusals(),
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer', description: 'The token that sign-up or login answered.' },
        statement: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Statement-Token',
          description:
            'What the link ends with in a mail to somebody whose account was closed: good for the one decision it is about, and wins over a session.',
        },
      },
    },
  };
}

function paths(): OpenApiDocument['paths'] {
  const byPath: Record<string, Record<string, OperationObject>> = {};
  for (const operation of OPERATIONS)
    (byPath[operation.path] ??= {})[operation.method.toLowerCase()] = operationObject(operation);
  return byPath;
}

function operationObject(operation: Operation): OperationObject {
  const { id, tag, summary, access, body, isWebSocket } = operation;
  const description = [operation.description, failureWords(operation)].filter(Boolean).join('\n\n');
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== '' && { description }),
    security: securityOf(access),
    ...(isWebSocket && { 'x-websocket': { message: { $ref: '#/components/schemas/LiveMessage' } } }),
    parameters: parametersOf(operation),
    ...(body && { requestBody: body.kind === 'json' ? jsonBodyObject(body) : filesBodyObject(body) }),
    responses: responsesOf(operation),
  };
}

function securityOf(access: Access): OperationObject['security'] {
  if (access === 'none') return [];
  const session = { session: [] };
  if (access === 'optional') return [{}, session];
  return access === 'statement' ? [session, { statement: [] }] : [session];
}

const GENERAL = '{error}';

/** What the call says when it fails for no fault of the asker's (specification, section 8); nothing where no text is quoted for it. */
function failureWords({ method, path }: Operation): string {
  const words = failureMessage(method, path, GENERAL);
  return words === GENERAL ? '' : `Where it fails for no fault of yours (500, 503), \`message\` is \`${words}\`.`;
}

function parametersOf({ pathParameters, query, headers }: Operation): NonNullable<OperationObject['parameters']> {
  const stand = (where: 'path' | 'query', parameters: Operation['query']): ParameterObject[] =>
    Object.entries(parameters).map(([name, { schema, words, example }]) => ({
      name,
      in: where,
      required: where === 'path',
      description: words,
      schema: inlineSchema(schema),
      example,
    }));
  return [
    ...stand('path', pathParameters),
    ...stand('query', query),
    ...(['X-Request-Id', ...headers] as const).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

/** A schema that takes other names says so of each: what stands under ours may stand under theirs. */
function jsonBodyObject({ schema, otherNames, isRequired, example }: JsonBody) {
  const ref = refOf(schema);
  const aliases = Object.entries(otherNames).map(([theirs, ours]) => [
    theirs,
    {
      $ref: `${String(ref['$ref'])}/properties/${ours}`,
      description: `The same as \`${ours}\`, which wins where both are sent.`,
    },
  ]);
  const whole =
    aliases.length === 0
      ? ref
      : { allOf: [ref], properties: Object.fromEntries(aliases) as Readonly<Record<string, unknown>> };
  return { required: isRequired, content: { 'application/json': { schema: whole, example } } };
}

function filesBodyObject({ field, maxFiles, contentTypes }: FilesBody) {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' };
  const schema = {
    type: 'object',
    required: [field],
    properties: { [field]: maxFiles === 1 ? file : { type: 'array', items: file, minItems: 1, maxItems: maxFiles } },
  };
  return {
    required: true,
    content: { 'multipart/form-data': { schema, encoding: { [field]: { contentType: contentTypes.join(', ') } } } },
  };
}

function responsesOf(operation: Operation): OperationObject['responses'] {
  const { answers } = operation;
  const errors = errorsOf(operation);
  const statuses = new Set([...Object.keys(answers).map(Number), ...errors.map((code) => ERRORS[code].status)]);
  const inOrder = [...statuses].sort((a, b) => a - b);
  return Object.fromEntries(
    inOrder.map((status) => {
      const answer = answers[status] ? withReplay(answers[status], operation) : null;
      const codes = errors.filter((code) => ERRORS[code].status === status);
      const [only, ...others] = codes;
      const isRefusalAlone = answer === null && only !== undefined && others.length === 0;
      return [
        String(status),
        isRefusalAlone ? { $ref: `#/components/responses/${only}` } : responseObject(answer, codes),
      ];
    }),
  );
}

/** What is answered again by an `Idempotency-Key` says so. */
function withReplay(answer: Answer, { headers }: Operation): Answer {
  return headers.includes('Idempotency-Key')
    ? { ...answer, headers: [...answer.headers, 'Idempotency-Replayed'] }
    : answer;
}

/** Every refusal as an answer of its own, for the calls where no other has its status. */
function refusals(): Readonly<Record<string, ResponseObject>> {
  const alone = OPERATIONS.flatMap((operation) => Object.values(responsesOf(operation))).flatMap((response) =>
    '$ref' in response ? [response.$ref.split('/').at(-1)] : [],
  );
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter(
    (code) => OF_NO_CALL.includes(code) || alone.includes(code),
  );
  return Object.fromEntries(codes.map((code) => [code, responseObject(null, [code])]));
}

/** One status: what is answered when all is well, or the refusals that have it, or both. */
function responseObject(answer: Answer | null, codes: readonly ErrorCode[]): ResponseObject {
  const content: Content = {
    ...(answer && contentOf(answer)),
    ...(codes.length > 0 && { 'application/problem+json': problem(codes) }),
  };
  const headers = [
    'X-Request-Id',
    ...(answer?.headers ?? []),
    ...(codes.length > 0 && mayWait(codes) ? ['Retry-After'] : []),
  ];
  return {
    description: answer?.words ?? codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

function contentOf({ schema, contentTypes }: Answer): Content {
  return Object.fromEntries(
    contentTypes.map((type) => [type, schema && type === 'application/json' ? { schema: refOf(schema) } : {}]),
  );
}

function problem(codes: readonly ErrorCode[]) {
  return { schema: { allOf: [refOf(errorAnswer)], properties: { code: { enum: codes } } } };
}

/** A new account is told how long it waits, although nothing was too much. */
function mayWait(codes: readonly ErrorCode[]): boolean {
  return codes.some((code) => code === 'ACCOUNT_TOO_NEW' || [429, 503].includes(ERRORS[code].status));
}
