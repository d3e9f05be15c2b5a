import { useQuery, useQueryClient } from '@tanstack/react-query';
import { EmptyState, LinkButton, QueryError, useApi, useUser, VisuallyHidden } from '@alpenglow/ui';
import { followsQuery } from '../api/queries.ts';
import { ThreadListSkeleton } from '../lists/thread-list.tsx';
import { ThreadRow } from '../lists/thread-row.tsx';
import { useText } from '../text.ts';
import { FollowMenu } from '../thread/follow-menu.tsx';
import rows from '../lists/thread-list.module.css';
import styles from './following.module.css';

/** Lists the threads that a member follows, each with its setting for notification mails. */
export default function Following() {
  const t = useText();
  const queryClient = useQueryClient();
  const query = followsQuery(useApi(), useUser()?.id ?? '');
  const follows = useQuery(query);
  if (follows.isPending) return <ThreadListSkeleton />;
  if (follows.isError) return <QueryError query={follows} text={t('community.listFailed')} />;
  const { data } = follows.data;
  if (data.length === 0) {
    return (
      <EmptyState
        title={t('community.followNothing')}
        actions={<LinkButton to="/community">{t('community.allThreads')}</LinkButton>}
      >
        <p>{t('community.followNothingText')}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <h2 className={rows['heading']}>
        <VisuallyHidden>{t('community.following')}</VisuallyHidden>
      </h2>
      <ul role="list" className={rows['list']}>
        {data.map(({ thread, mail }) => (
          <li key={thread.id} className={styles['followed']}>
            <ThreadRow thread={thread} />
            <FollowMenu
              threadId={thread.id}
              mail={mail}
              onChanged={() => void queryClient.invalidateQueries({ queryKey: query.queryKey })}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
