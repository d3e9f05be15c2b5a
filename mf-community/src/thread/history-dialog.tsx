import { useQuery } from '@tanstack/react-query';
import { communityKeys, Dialog, ErrorBox, messageOf, RichHtml, Skeleton, useApi, useLocale } from '@alpenglow/ui';
import { readHistory } from '../api/calls.ts';
import { useText } from '../text.ts';
import styles from './dialogs.module.css';

/** What a post has said, the newest first; for its author and moderators. */
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
      {history.isError && (
        <ErrorBox
          message={messageOf(history.error, t('community.threadFailed'))}
          onRetry={() => void history.refetch()}
        />
      )}
      {history.data && (
        <ol role="list" className={styles['versions']}>
          {history.data.data.toReversed().map(({ html, at }, index) => (
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
