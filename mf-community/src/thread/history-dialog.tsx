import { useQuery } from '@tanstack/react-query';
import { communityKeys, Dialog, QueryError, RichHtml, Skeleton, useApi, useLocale } from '@alpenglow/ui';
import { readHistory } from '../api/requests.ts';
import { useText } from '../text.ts';
import styles from './dialogs.module.css';

/** A dialog with the versions of a post, newest first. Only the author and moderators can open it. */
export function HistoryDialog({
  threadId,
  number,
  onClose,
}: {
  readonly threadId: string;
  readonly number: number;
  readonly onClose: () => void;
}) {
  const t = useText();
  const api = useApi();
  const locale = useLocale();
  const history = useQuery({
    queryKey: [...communityKeys.all, 'history', threadId, number],
    queryFn: ({ signal }) => readHistory(api, threadId, number, signal),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Dialog open title={t('community.history')} onClose={onClose}>
      {history.isPending && <Skeleton height="6em" />}
      {history.isError && <QueryError query={history} text={t('community.threadFailed')} />}
      {history.data && (
        <ol role="list" className={styles['versions']}>
          {[...history.data.data].reverse().map(({ html, at }, index) => (
            <li key={at}>
              <h3>
                {index === 0 ? t('community.now') : t('community.before')} ·{' '}
                <time dateTime={at}>{new Date(at).toLocaleString(locale)}</time>
              </h3>
              <RichHtml html={html} />
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  );
}
