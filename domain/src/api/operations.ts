import type { InputOfBody, Operation, ParsedPath, ParsedQuery, SentBody, SuccessOf } from './operation.ts';
import { adminOperations } from './operations/admin.ts';
import { adOperations } from './operations/ads.ts';
import { auditOperations } from './operations/audit.ts';
import { authOperations } from './operations/auth.ts';
import { blogOperations } from './operations/blog.ts';
import { communityOperations } from './operations/community.ts';
import { favoriteOperations } from './operations/favorites.ts';
import { panelOperations } from './operations/panel.ts';
import { personOperations } from './operations/person.ts';
import { identityOperations } from './operations/identity.ts';
import { roleOperations } from './operations/roles.ts';
import { frontEndOperations } from './operations/front-ends.ts';
import { historyOperations } from './operations/history.ts';
import { moderationOperations } from './operations/moderation.ts';
import { removalOperations } from './operations/removals.ts';
import { replayOperations } from './operations/replay.ts';
import { privacyOperations } from './operations/privacy.ts';
import { ruleOperations } from './operations/rules.ts';
import { searchOperations } from './operations/search.ts';
import { systemOperations } from './operations/system.ts';
import { transparencyOperations } from './operations/transparency.ts';
import { uploadOperations } from './operations/uploads.ts';

const ALL = [
  ...authOperations,
  ...adOperations,
  ...uploadOperations,
  ...favoriteOperations,
  ...communityOperations,
  ...moderationOperations,
  ...removalOperations,
  ...blogOperations,
  ...privacyOperations,
  ...searchOperations,
  ...auditOperations,
  ...adminOperations,
  ...panelOperations,
  ...replayOperations,
  ...historyOperations,
  ...transparencyOperations,
  ...roleOperations,
  ...identityOperations,
  ...ruleOperations,
  ...personOperations,
  ...frontEndOperations,
  ...systemOperations,
];

/**
 * Every operation of the API. A test checks that each operation has a handler, and that each handler has an
 * operation.
 */
export const OPERATIONS: readonly Operation[] = ALL;

type Declared = (typeof ALL)[number];

export type OperationId = Declared['id'];

type DeclarationOf<Id extends OperationId> = Extract<Declared, { readonly id: Id }>;

/** The parsed path parameters of an operation by name. */
export type PathOf<Id extends OperationId> = ParsedPath<DeclarationOf<Id>['pathParameters']>;

/** The parsed query parameters of an operation by name. */
export type QueryOf<Id extends OperationId> = ParsedQuery<DeclarationOf<Id>['queryParameters']>;

/** The type of the parsed JSON body of an operation. The type is `never` if the operation has no JSON body. */
export type InputOf<Id extends OperationId> = InputOfBody<DeclarationOf<Id>['body']>;

/** The JSON body that a request of an operation may send. The type is `never` if the operation has no JSON body. */
export type SentBodyOf<Id extends OperationId> = SentBody<DeclarationOf<Id>['body']>;

/** The JSON of the successful responses of an operation. */
export type ResponseOf<Id extends OperationId> = SuccessOf<DeclarationOf<Id>['responses']>;

export type MethodOf<Id extends OperationId> = DeclarationOf<Id>['method'];

/** The ids of the operations that read. */
export type ReadId = Extract<Declared, { readonly method: 'GET' }>['id'];

/** The paths of the requests of an operation, below `/api`, with or without a query. */
export type PathTo<Id extends OperationId> = OptionalQuery<Filled<DeclarationOf<Id>['path']>>;

type OptionalQuery<Path extends string> = Path | `${Path}?${string}`;
type Filled<Path extends string> = Path extends `${infer Start}{${string}}${infer End}`
  ? `${Start}${string}${Filled<End>}`
  : Path;

const BY_ID: ReadonlyMap<string, Operation> = new Map(ALL.map((operation) => [operation.id, operation]));

/** Returns the operation with an id. Throws if it is not declared. */
export function getOperation(id: string): Operation {
  const operation = BY_ID.get(id);
  if (!operation) throw new Error(`The operation ${id} is not declared`);
  return operation;
}
