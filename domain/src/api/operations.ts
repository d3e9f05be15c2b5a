import type { Operation } from './operation.ts';
import { adminOperations } from './operations/admin.ts';
import { adOperations } from './operations/ads.ts';
import { authOperations } from './operations/auth.ts';
import { favoriteOperations } from './operations/favorites.ts';
import { systemOperations } from './operations/system.ts';
import { uploadOperations } from './operations/uploads.ts';

/** Every call of the API. A test holds it against the routes that are mounted, in both directions. */
export const OPERATIONS: readonly Operation[] = [...authOperations, ...adOperations, ...uploadOperations, ...favoriteOperations, ...adminOperations, ...systemOperations];
