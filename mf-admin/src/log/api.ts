import { signedInPagedQuery, type Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';

/** Filters of the moderation log. An empty string matches all entries. */
export type LogFilter = Readonly<Record<'type' | 'actor', string>>;

const LOG = ['admin', 'log'] as const;

export const logQuery = (api: Api, filter: LogFilter) =>
  signedInPagedQuery<'listLogEntries'>(api, [...LOG, 'entries', filter], '/admin/log', { ...filter });

export const rootsQuery = (api: Api) => signedInPagedQuery<'listDailyRoots'>(api, [...LOG, 'roots'], '/audit/roots');

export const proofQuery = (api: Api, eventId: string) =>
  signedInQuery<'getLogProof'>(api, [...LOG, 'proof', eventId], `/admin/log/${eventId}/proof`);
