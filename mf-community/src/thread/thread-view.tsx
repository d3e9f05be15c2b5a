import { useState } from 'react';
import type { PostView } from '@alpenglow/domain/contracts';
import { Breadcrumbs, layout, Page, useLocale, useShare, useUser } from '@alpenglow/ui';
import { getBreadcrumbs, findPlace } from '../places.ts';
import { useText } from '../text.ts';
import { getPostUrl } from './post-url.ts';
import { Post } from './post.tsx';
import { Replies } from './replies.tsx';
import { NewReplies, ReplySection } from './reply-section.tsx';
import { ThreadDialogs, type OpenDialog } from './thread-dialogs.tsx';
import { ThreadHeader } from './thread-header.tsx';
import type { ThreadWindow } from './thread-window.ts';
import { usePostActions } from './use-post-actions.ts';
import type { ThreadReading } from './use-thread-reading.ts';
import styles from './thread.module.css';

export interface ThreadViewProps {
  readonly reading: ThreadReading;
  readonly window: ThreadWindow;
  readonly path: string;
}

/**
 * The page of a thread with its opening post, its replies, and the actions on these posts. Owns the open dialog and the
 * quoted post.
 */
export function ThreadView({ reading, window, path }: ThreadViewProps) {
  const t = useText();
  const locale = useLocale();
  const share = useShare({
    copied: t('community.linkCopied'),
    toCopy: (address) => t('community.linkToCopy', { address }),
  });
  const user = useUser();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [quoted, setQuoted] = useState<PostView | null>(null);
  const { shown } = reading;
  const { thread } = window;
  const place = findPlace(thread.country, thread.state, thread.city);
  const title = thread.title === '' ? t('community.threadWithoutTitle') : thread.title;
  const quote = (post: PostView) => {
    setQuoted(post);
    const form = document.getElementById('reply');
    form?.scrollIntoView({ block: 'center' });
    form?.querySelector('textarea')?.focus({ preventScroll: true });
  };
  const hasForm = thread.canReply && user?.isEmailVerified === true;
  const actions = usePostActions({
    shown,
    thread,
    path,
    sharePost: (post) => void share(getPostUrl(path, post.number), title),
    onAsk: (what, post) => setDialog({ what, post }),
    onQuote: hasForm ? quote : null,
  });

  return (
    <Page>
      <Breadcrumbs
        fromHome
        items={[
          { label: t('community'), to: '/community' },
          ...(place ? getBreadcrumbs(place, locale) : []),
          { label: title },
        ]}
      />
      <div className={styles['columns']}>
        <div className={layout['shrink']}>
          <ThreadHeader
            thread={thread}
            title={title}
            shown={shown}
            actions={actions}
            onShare={() => void share(path, title)}
          />
          <Post post={thread.opening} thread={thread} path={path} actions={actions} />
          <Replies reading={reading} window={window} path={path} actions={actions} />
          <ReplySection thread={thread} reading={reading} quoted={quoted} onUnquote={() => setQuoted(null)} />
        </div>
      </div>
      <NewReplies thread={thread} reading={reading} />
      <ThreadDialogs
        threadId={thread.id}
        dialog={dialog}
        onClose={() => setDialog(null)}
        onChanged={shown.refresh}
        onShowAgain={actions.onShowAgain}
      />
    </Page>
  );
}
