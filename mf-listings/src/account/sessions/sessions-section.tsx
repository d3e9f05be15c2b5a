import { useQuery, queryOptions } from '@tanstack/react-query';
import {
  Badge,
  Button,
  ErrorBox,
  layout,
  messageOf,
  Skeleton,
  useApi,
  useHost,
  useWrite,
  type Api,
} from '@alpenglow/ui';
import { SESSIONS_KEY } from './sessions-key.ts';
import { useText } from './text.ts';
import account from '../account.module.css';
import styles from './sessions.module.css';

const sessionsQuery = (api: Api, viewer: string) =>
  queryOptions({
    queryKey: [...SESSIONS_KEY, viewer],
    queryFn: ({ signal }) => api.requestWithToken<'listSessions'>({ path: '/auth/sessions', signal }),
    select: ({ data }) => data,
  });
const endSession = (api: Api, path: '' | `/${string}`) =>
  api.requestWithToken<'endSession' | 'endOtherSessions'>({ method: 'DELETE', path: `/auth/sessions${path}` });

const TIME_FORMAT = { dateStyle: 'medium', timeStyle: 'short' } as const;

/** The devices on which the user is signed in, with buttons that end single sessions or all others. */
export function SessionsSection({ viewer }: { readonly viewer: string }) {
  const t = useText();
  const api = useApi();
  const { locale } = useHost();
  const { data, error, isPending, refetch } = useQuery(sessionsQuery(api, viewer));
  const write = {
    failedText: () => t('sessions.failed'),
    affectedQueries: () => ({ queryKey: SESSIONS_KEY }),
  };
  const end = useWrite({
    ...write,
    send: (id: string) => endSession(api, `/${id}`),
    doneText: () => t('sessions.ended'),
  });
  const endOthers = useWrite({ ...write, send: () => endSession(api, ''), doneText: () => t('sessions.othersEnded') });
  const others = data?.filter(({ isCurrent }) => !isCurrent) ?? [];

  return (
    <section className={account['form']} aria-labelledby="sessions">
      <h3 id="sessions">{t('sessions.title')}</h3>
      <p>{t('sessions.text')}</p>
      {isPending && <Skeleton width="100%" height="4rem" />}
      {error && <ErrorBox message={messageOf(error, t('sessions.failed'))} onRetry={() => void refetch()} />}
      <ul role="list" className={styles['list']}>
        {data?.map(({ id, device, lastUsedAt, isCurrent, isSameNetwork }) => (
          <li key={id} className={styles['session']}>
            <div>
              <strong>{device === '' ? t('sessions.unknownDevice') : device}</strong>{' '}
              {isCurrent && <Badge tone="success">{t('sessions.current')}</Badge>}
              <p className={layout['muted']}>
                {t('sessions.lastUsed', { time: new Date(lastUsedAt).toLocaleString(locale, TIME_FORMAT) })}{' '}
                {t(isSameNetwork ? 'sessions.sameNetwork' : 'sessions.otherNetwork')}
              </p>
            </div>
            {!isCurrent && (
              <Button
                size="small"
                busy={end.isPending && end.variables === id}
                aria-label={t('sessions.endDevice', { device: device === '' ? t('sessions.unknownDevice') : device })}
                onClick={() => end.mutate(id)}
              >
                {t('sessions.end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {others.length > 1 && (
        <div>
          <Button busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t('sessions.endOthers')}
          </Button>
        </div>
      )}
    </section>
  );
}
