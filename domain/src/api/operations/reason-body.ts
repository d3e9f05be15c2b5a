import { reasonFields } from '../../admin-fields.ts';
import { jsonBody } from '../operation.ts';

/** A request body with the optional reason of an admin. The event stores the reason encrypted. */
export const reasonBody = { ...jsonBody(reasonFields, { reason: 'Asked for by its owner.' }), isRequired: false };
