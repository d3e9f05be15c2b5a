import { roleFields } from '../../account/fields.ts';
import { body, json, operation, WRITTEN, type Operation } from '../operation.ts';
import { doneAnswer } from '../schemas/common.ts';
import { userId } from './parameters.ts';

/** Who helps to answer for the place (decision 0038). */
export const roleOperations: readonly Operation[] = [
  operation({
    tag: 'Admin',
    access: 'admin',
    method: 'PUT',
    path: '/admin/users/{id}/role',
    id: 'setRole',
    summary: 'Grant somebody a role, or withdraw it',
    description:
      'Takes the place of any role they had; `null` withdraws it. The configured admin stays one whatever their role.',
    pathParameters: { id: userId },
    headers: ['Idempotency-Key'],
    body: body(roleFields, { role: 'moderator', reason: 'Joins the moderators.' }),
    answers: { 200: json(doneAnswer, 'They have the role, or none any more.', WRITTEN) },
    errors: ['REQUIRED_FIELDS', 'USER_NOT_FOUND', 'OWN_ROLE'],
  }),
];
