import type { Operation } from './operation.ts';
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
import { historyOperations } from './operations/history.ts';
import { moderationOperations } from './operations/moderation.ts';
import { replayOperations } from './operations/replay.ts';
import { privacyOperations } from './operations/privacy.ts';
import { ruleOperations } from './operations/rules.ts';
import { searchOperations } from './operations/search.ts';
import { systemOperations } from './operations/system.ts';
import { transparencyOperations } from './operations/transparency.ts';
import { uploadOperations } from './operations/uploads.ts';

/** Every call of the API. A test holds it against the routes that are mounted, in both directions. */
export const OPERATIONS: readonly Operation[] = [
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
  ...systemOperations,
];
