import type { Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';

export const requestQuery = (api: Api, id: string) =>
  signedInQuery<'getRequest'>(api, ['admin', 'requests', id], `/admin/requests/${encodeURIComponent(id)}`);

/** Matches the id of a request, as error screens show it. */
export const REQUEST_ID = /^[\w.-]{8,64}$/u;
