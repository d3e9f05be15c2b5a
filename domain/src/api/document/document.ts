import { ERRORS, type ErrorCode } from '../../error-catalogue.ts';
import { PRODUCT_NAME } from '../../constants.ts';
import { getComponentName } from '../component.ts';
import {
  getErrorCodes,
  GENERAL_ERRORS,
  UNMATCHED_REQUEST_ERRORS,
  type Access,
  type OperationResponse,
  type BytesBody,
  type FilesBody,
  type JsonBody,
  type Operation,
  type Tag,
} from '../operation.ts';
import { OPERATIONS } from '../operations.ts';
import { errorResponse } from '../schemas/errors.ts';
import { ComponentCollector } from './component-collector.ts';
import { RESPONSE_HEADERS, REQUEST_HEADERS } from './headers.ts';
import type {
  Content,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  RequestBodyObject,
  ResponseObject,
} from './openapi.ts';
import { toInlineSchema, createComponentSchemas, schemaRef } from './schemas.ts';

const TAGS: Readonly<Record<Tag, string>> = {
  Accounts: 'Sign-up, sign-in, sessions, verification codes and the own profile.',
  Ads: 'Ad search, and the own ad of a provider.',
  Uploads: 'Upload and download of photos and videos.',
  Favorites: 'The ads that a client has saved.',
  Community: 'Threads by place, posts, follows and reports.',
  Blog: 'Articles.',
  Search: 'Search in threads, articles and ads.',
  Reports: 'Reports about content, and their status.',
  Admin: 'Requires an admin.',
  Moderation: 'Reports, decisions and appeals. Requires a moderator. Every admin is also a moderator.',
  System: 'Health, read models, the live channel, this document.',
};

const ABOUT = [
  'A write only appends events. Read results change a moment later.\n' +
    'A read with a session contains the earlier writes of this session.\n' +
    'Other reads contain a write if they send its `X-Position` as `X-Wait-Position`.',
  'Every error response is a problem of RFC 9457, `application/problem+json`: ' +
    'programs evaluate `code`, people read `message`.',
  'Any request may be rejected with 429. `Retry-After` contains the seconds to wait.\n' +
    'An unknown path is rejected with 404, `NOT_FOUND`, ' +
    'and another method of a known path with 405, `METHOD_NOT_ALLOWED`.\n' +
    'A request with more than 100 headers is rejected with 431, `TOO_MANY_HEADERS`.',
  'Every response has the header `X-Request-Id`, the id of the request. The client may choose it, also as the trace ' +
    'id of the header `traceparent` (W3C Trace Context).',
].join('\n\n');

/** The security requirement of every operation that declares no other requirement: a session. */
const DEFAULT_SECURITY: OpenApiDocument['security'] = [{ session: [] }];

/** The components of the API document that the operations use. */
interface Components {
  readonly parameters: ComponentCollector<ParameterObject>;
  readonly requestBodies: ComponentCollector<RequestBodyObject>;
  readonly responses: ComponentCollector<ResponseObject>;
}

/** Returns the API as an OpenAPI 3.1 document, derived from the operations and their schemas. */
export function createOpenApiDocument({ version }: { readonly version: string }): OpenApiDocument {
  const components: Components = {
    parameters: new ComponentCollector('parameters'),
    requestBodies: new ComponentCollector('requestBodies'),
    responses: new ComponentCollector('responses'),
  };
  for (const [name, header] of Object.entries(REQUEST_HEADERS)) components.parameters.add(name, header);
  const paths = pathsOf(components);
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
    servers: [{ url: '/api', description: 'The API that serves this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: DEFAULT_SECURITY,
    paths,
    components: {
      schemas: createComponentSchemas(),
      parameters: components.parameters.toRecord(),
      requestBodies: components.requestBodies.toRecord(),
      headers: RESPONSE_HEADERS,
      responses: components.responses.toRecord(),
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer', description: 'The token from the response to a sign-up or login.' },
        statement: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Statement-Token',
          description:
            'The token at the end of the link that is mailed after an account is closed. ' +
            'It is valid for one decision, and takes precedence over a session.',
        },
      },
    },
  };
}

function pathsOf(components: Components): OpenApiDocument['paths'] {
  const byPath: Record<string, Record<string, OperationObject>> = {};
  // An object that occurs in several operations becomes a component. All operations are therefore collected before the
  // first one is converted.
  const drafts = OPERATIONS.map((operation) => ({ ...operation, toObject: draftOperation(operation, components) }));
  for (const { path, method, toObject } of drafts) (byPath[path] ??= {})[method.toLowerCase()] = toObject();
  return byPath;
}

/**
 * Collects the components that an operation uses. After all operations are collected, the returned function creates the
 * OpenAPI object of the operation.
 */
function draftOperation(operation: Operation, components: Components): () => OperationObject {
  const { id, tag, summary, access, body } = operation;
  const description = [operation.description, describeFailure(operation)].filter(Boolean).join(' ');
  const security = securityOf(access);
  const parameters = parametersOf(operation, components);
  const requestBody = body && draftBody(body, components);
  const general = generalErrorsOf(operation);
  const responses = draftResponses(operation, general.codes, components);
  const defaultResponse = components.responses.add(
    general.name,
    responseObject(null, [...general.codes, ...UNMATCHED_REQUEST_ERRORS]),
  );
  return () => ({
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== '' && { description }),
    ...(security !== DEFAULT_SECURITY && { security }),
    parameters,
    ...(requestBody && { requestBody: requestBody() }),
    responses: Object.fromEntries([
      ...responses.map(([status, toObject]) => [status, toObject()] as const),
      ['default', defaultResponse],
    ]),
  });
}

function securityOf(access: Access): OpenApiDocument['security'] {
  if (access === 'none') return [];
  if (access === 'optional') return [{}, ...DEFAULT_SECURITY];
  return access === 'statement' ? [...DEFAULT_SECURITY, { statement: [] }] : DEFAULT_SECURITY;
}

const GENERAL = '{error}';

/**
 * Returns a sentence about the property `message` of responses with status 500 and 503. Returns an empty text
 * if the operation declares no message for these responses.
 */
function describeFailure({ failureMessage }: Operation): string {
  if (failureMessage === null) return '';
  const message = failureMessage.replace('{message}', GENERAL);
  return `If the server fails (500, 503), \`message\` is \`${message}\`.`;
}

function parametersOf(
  { pathParameters, queryParameters, headers }: Operation,
  components: Components,
): NonNullable<OperationObject['parameters']> {
  const objectsOf = (where: 'path' | 'query', parameters: Operation['queryParameters']) =>
    Object.entries(parameters).map(([name, parameter]) => {
      const object: ParameterObject = {
        name,
        in: where,
        ...(where === 'path' && { required: true }),
        description: parameter.description,
        schema: toInlineSchema(parameter.schema),
        example: parameter.example,
      };
      const component = getComponentName(parameter);
      return component === null ? object : components.parameters.add(component, object);
    });
  return [
    ...objectsOf('path', pathParameters),
    ...objectsOf('query', queryParameters),
    ...(['X-Request-Id', ...headers] as const).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function draftBody(
  body: JsonBody | FilesBody | BytesBody,
  { requestBodies }: Components,
): () => RequestBodyObject | Reference {
  switch (body.kind) {
    case 'json':
      return requestBodies.use(getComponentName(body.schema), jsonBodyObject(body));
    case 'files':
      return requestBodies.use(null, filesBodyObject(body));
    case 'bytes':
      return requestBodies.use(null, { required: true, content: { [body.contentType]: {} } });
  }
}

/**
 * Describes the JSON body of the requests of an operation. An alias, i.e. another accepted name of a property, refers
 * to the schema of that property.
 */
function jsonBodyObject({ schema, aliases: otherNames, isRequired, example }: JsonBody): RequestBodyObject {
  const ref = schemaRef(schema);
  const aliases = Object.entries(otherNames).map(([alias, property]) => [
    alias,
    {
      $ref: `${String(ref['$ref'])}/properties/${property}`,
      description: `An alias of \`${property}\`, which takes precedence if both are sent.`,
    },
  ]);
  const whole =
    aliases.length === 0
      ? ref
      : { allOf: [ref], properties: Object.fromEntries(aliases) as Readonly<Record<string, unknown>> };
  return { required: isRequired, content: { 'application/json': { schema: whole, example } } };
}

function filesBodyObject({ field, maxFiles, contentTypes }: FilesBody): RequestBodyObject {
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

/** Returns the errors that follow from the kinds of an operation, and the name of the component that describes them. */
function generalErrorsOf(operation: Operation): { readonly name: string; readonly codes: readonly ErrorCode[] } {
  const errors = getErrorCodes(operation);
  const kinds = Object.entries(GENERAL_ERRORS).filter(([, codes]) => codes.every((code) => errors.includes(code)));
  return { name: kinds.map(([kind]) => kind).join('.'), codes: kinds.flatMap(([, codes]) => codes) };
}

/**
 * Returns the responses of an operation by HTTP status. A status is omitted if all its errors are general errors, which
 * the default response describes.
 */
function draftResponses(
  operation: Operation,
  generalErrors: readonly ErrorCode[],
  components: Components,
): readonly (readonly [status: string, toObject: () => ResponseObject | Reference])[] {
  const { responses } = operation;
  const errors = getErrorCodes(operation);
  const statuses = new Set([...Object.keys(responses).map(Number), ...errors.map((code) => ERRORS[code].status)]);
  return [...statuses]
    .sort((a, b) => a - b)
    .flatMap((status) => {
      const response = responses[status] ? withReplay(responses[status], operation) : null;
      const codes = errors.filter((code) => ERRORS[code].status === status);
      if (response === null && codes.every((code) => generalErrors.includes(code))) return [];
      const object = responseObject(response, codes);
      const name = responses[status] ? getComponentName(responses[status]) : null;
      if (name === null) return [[String(status), components.responses.use(contentNameOf(response, codes), object)]];
      const reference = components.responses.add(name, object);
      return [[String(status), () => reference]];
    });
}

/**
 * Returns the component name of a response. The name consists of the schema name, the headers and the error codes.
 * Returns null if the schema has no name.
 */
function contentNameOf(response: OperationResponse | null, codes: readonly ErrorCode[]): string | null {
  if (response === null) return codes.join('.');
  const schema = response.schema && getComponentName(response.schema);
  return schema === null ? null : [schema, ...response.headers, ...codes].join('.');
}

/**
 * Adds the header `Idempotency-Replayed` to a response if the operation accepts an `Idempotency-Key`. The header marks
 * the stored response to a repeated request.
 */
function withReplay(response: OperationResponse, { headers }: Operation): OperationResponse {
  return headers.includes('Idempotency-Key')
    ? { ...response, headers: [...response.headers, 'Idempotency-Replayed'] }
    : response;
}

/**
 * Returns the OpenAPI response object of one HTTP status. The object describes a success response, the errors with this
 * status, or both.
 */
function responseObject(response: OperationResponse | null, codes: readonly ErrorCode[]): ResponseObject {
  const content: Content = {
    ...(response && contentOf(response)),
    ...(codes.length > 0 && { 'application/problem+json': problem(codes) }),
  };
  const headers = [
    ...(response?.headers ?? []),
    ...(codes.length > 0 && mayHaveRetryAfter(codes) ? ['Retry-After'] : []),
  ];
  return {
    description: response?.description ?? codes.map((code) => `\`${code}\``).join(', '),
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    }),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

function contentOf({ schema, contentTypes }: OperationResponse): Content {
  return Object.fromEntries(
    contentTypes.map((type) => [type, schema && type === 'application/json' ? { schema: schemaRef(schema) } : {}]),
  );
}

function problem(codes: readonly ErrorCode[]) {
  return { schema: { ...schemaRef(errorResponse), properties: { code: { enum: codes } } } };
}

/**
 * Checks whether an error response may contain the header `Retry-After`. The header is possible for rate limits (429),
 * for outages (503), and for the error ACCOUNT_TOO_NEW, although its status is different.
 */
function mayHaveRetryAfter(codes: readonly ErrorCode[]): boolean {
  return codes.some((code) => code === 'ACCOUNT_TOO_NEW' || [429, 503].includes(ERRORS[code].status));
}
