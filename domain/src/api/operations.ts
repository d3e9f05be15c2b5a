import type { InputOfBody, Operation, PathParameters } from './operation.ts';
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

/** The decoded path parameters of an operation by name. */
export type PathParametersOf<Id extends OperationId> = PathParameters<Extract<Declared, { readonly id: Id }>['path']>;

/** The type of the parsed JSON body of an operation. The type is `never` if the operation has no JSON body. */
export type InputOf<Id extends OperationId> = InputOfBody<Extract<Declared, { readonly id: Id }>['body']>;
