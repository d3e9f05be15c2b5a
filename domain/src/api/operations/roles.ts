import { roleFields } from '../../account/fields.ts';
import { jsonBody, jsonResponse, defineOperation, REVISION_HEADERS } from '../operation.ts';
import { emptyResultResponse } from '../schemas/common.ts';
import { userId } from './parameters.ts';

/** Operations on staff roles (decision 0038). */
export const roleOperations = [
  defineOperation('setRole', 'PUT', '/admin/users/{id}/role', {
    tag: 'Admin',
    access: 'admin',
    summary: 'Grant or withdraw a role',
    description:
      'The role replaces any previous role. `null` withdraws it. The configured admin is an admin with any role.',
    pathParameters: { id: userId },
    headers: ['Idempotency-Key'],
    body: jsonBody(roleFields, { role: 'moderator', reason: 'Joins the moderators.' }),
    responses: { 200: jsonResponse(emptyResultResponse, 'The role was granted or withdrawn.', REVISION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'USER_NOT_FOUND', 'OWN_ROLE'],
  }),
];
