import { useState } from 'react';
import { Link } from 'react-router-dom';
import { EDIT_WINDOW_ms, getMinutesLeft, type PostView, type ThreadCard } from '@alpenglow/domain/contracts';
import { Badge, Button, Choice, layout, Menu, RichHtml, TimeAgo, useNow, useUser } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { AuthorName } from './author-name.tsx';
import { EditForm } from './edit-form.tsx';
import { getPostAnchor, getPostUrl } from './post-url.ts';
import styles from './post.module.css';

/** Callbacks for the actions on a post. */
export interface PostActions {
  readonly onHelpful: (post: PostView) => void;
  /** Called when the viewer replies to the post. Null if the viewer cannot reply. */
  readonly onQuote: ((post: PostView) => void) | null;
  readonly onShare: (post: PostView) => void;
  readonly onAsk: (what: PostDialog, post: PostView) => void;
  readonly onReport: (post: PostView) => void;
  readonly onShowAgain: (post: PostView) => void;
  /** Called after a post was edited. Its promise resolves when the page shows the new version. */
  readonly onEdited: () => Promise<void>;
}

export type PostDialog = 'delete' | 'history' | 'hide';

export interface PostProps {
  readonly post: PostView;
  readonly thread: Pick<ThreadCard, 'id' | 'title'>;
  readonly path: string;
  readonly actions: PostActions;
}

/**
 * One post. A deleted post, and a hidden post of another person, is shown as one line with its number. Its author and
 * moderators see a hidden post with its state and the reason.
 */
export function Post({ post, thread, path, actions }: PostProps) {
  const t = useText();
  const [isEditing, setEditing] = useState(false);
  const { number, author, html } = post;
  const name = author.name ?? t('community.formerMember');
  const label = number === 0 ? t('community.openingBy', { name }) : t('community.replyBy', { number, name });
  if (html === null) {
    return (
      <article
        id={getPostAnchor(number)}
        tabIndex={-1}
        className={styles['gone']}
        aria-label={t('community.post', { number })}
      >
        <p>
          {post.status === 'deleted'
            ? t('community.deletedPost')
            : post.hiddenReason === null
              ? t('community.hiddenPost')
              : t('community.hiddenBecause', { reason: post.hiddenReason })}
        </p>
        <Permalink path={path} number={number} />
      </article>
    );
  }
  return (
    <article
      id={getPostAnchor(number)}
      tabIndex={-1}
      className={styles['post']}
      aria-label={label}
      data-opening={number === 0 || undefined}
      data-hidden={post.status === 'hidden' || undefined}
    >
      <header className={styles['head']}>
        <AuthorName author={author} className={styles['name']} />
        {number > 0 && post.isStarter && <Badge>{t('community.starter')}</Badge>}
        {author.isModerator && <Badge tone="accent">{t('community.moderator')}</Badge>}
        {post.status === 'hidden' && <Badge tone="danger">{t('community.hidden')}</Badge>}
        <span className={layout['count']}>
          <TimeAgo at={post.postedAt} />
          {post.editedAt !== null && <Edited post={post} onHistory={() => actions.onAsk('history', post)} />}
        </span>
        <Permalink path={path} number={number} />
      </header>
      {post.status === 'hidden' && post.hiddenReason !== null && (
        <p className={styles['reason']}>{t('community.hiddenBecause', { reason: post.hiddenReason })}</p>
      )}
      {post.status === 'hidden' && post.isMine && (
        <p className={styles['reason']}>
          {t('community.hiddenForAuthor')} <Link to="/account/decisions">{t('community.hiddenWhy')}</Link>
        </p>
      )}
      {post.quote && <Quote quote={post.quote} path={path} />}
      {isEditing ? (
        <EditForm
          post={post}
          thread={thread}
          onCancel={() => setEditing(false)}
          onDone={async () => {
            await actions.onEdited();
            setEditing(false);
          }}
        />
      ) : (
        <RichHtml html={html} className={styles['text']} />
      )}
      {post.hasContactDetails && <p className={styles['note']}>{t('community.contactsHidden')}</p>}
      {!isEditing && <PostFooter post={post} actions={actions} onEdit={() => setEditing(true)} />}
    </article>
  );
}

function Permalink({ path, number }: { readonly path: string; readonly number: number }) {
  const t = useText();
  if (number === 0) return null;
  return (
    <Link
      to={getPostUrl(path, number)}
      className={styles['number']}
      aria-label={t('community.linkTo', { number })}
      preventScrollReset
    >
      {`#${number}`}
    </Link>
  );
}

/** Shows that a post was edited. For its author and moderators, this text is a button that opens the history. */
function Edited({ post, onHistory }: { readonly post: PostView; readonly onHistory: () => void }) {
  const t = useText();
  const user = useUser();
  if (!post.isMine && user?.isModerator !== true) return <span> · {t('community.edited')}</span>;
  return (
    <>
      {' · '}
      <button type="button" className={styles['edited']} onClick={onHistory}>
        {t('community.edited')}
      </button>
    </>
  );
}

/** Shows the quoted post. If it was deleted or hidden, a notice replaces its text. */
function Quote({ quote, path }: { readonly quote: NonNullable<PostView['quote']>; readonly path: string }) {
  const t = useText();
  if (quote.excerpt === null) return <p className={styles['quote']}>{t('community.quoteGone')}</p>;
  return (
    <blockquote className={styles['quote']}>
      <Link to={quote.number === 0 ? `${path}#${getPostAnchor(0)}` : getPostUrl(path, quote.number)} preventScrollReset>
        <AuthorName author={quote.author} /> {quote.number > 0 && `#${quote.number}`}
      </Link>
      <p dir="auto">{quote.excerpt}</p>
    </blockquote>
  );
}

function PostFooter({
  post,
  actions,
  onEdit,
}: {
  readonly post: PostView;
  readonly actions: PostActions;
  readonly onEdit: () => void;
}) {
  const t = useText();
  const user = useUser();
  const left_min = getMinutesLeft(post.editableUntil, useNow(), EDIT_WINDOW_ms);
  const isShown = post.status === 'visible';
  return (
    <footer className={styles['foot']}>
      {isShown && (
        <Button
          variant="quiet"
          size="small"
          aria-pressed={post.isHelpful}
          disabled={post.isMine}
          title={post.isMine ? t('community.helpfulOwn') : undefined}
          onClick={() => actions.onHelpful(post)}
        >
          {post.helpfulCount > 0 ? t('community.helpfulCount', { count: post.helpfulCount }) : t('community.helpful')}
        </Button>
      )}
      {isShown && actions.onQuote && (
        <Button variant="quiet" size="small" onClick={() => actions.onQuote?.(post)}>
          {t('community.quote')}
        </Button>
      )}
      {left_min > 0 && isShown && (
        <Button variant="quiet" size="small" onClick={onEdit}>
          {t('community.edit')} <span className={styles['left']}>{t('community.editLeft', { minutes: left_min })}</span>
        </Button>
      )}
      <Menu label={<span aria-hidden="true">···</span>} name={t('community.more', { number: post.number })}>
        <Choice onChoose={() => actions.onShare(post)}>{t('community.share')}</Choice>
        {post.isMine && (
          <Choice danger onChoose={() => actions.onAsk('delete', post)}>
            {t('community.delete')}
          </Choice>
        )}
        {!post.isMine && (
          <Choice onChoose={() => actions.onReport(post)}>
            {post.number === 0 ? t('community.reportThread') : t('community.report')}
          </Choice>
        )}
        {user?.isModerator && post.editedAt !== null && (
          <Choice onChoose={() => actions.onAsk('history', post)}>{t('community.history')}</Choice>
        )}
        {user?.isModerator && isShown && (
          <Choice danger onChoose={() => actions.onAsk('hide', post)}>
            {t('community.hide')}
          </Choice>
        )}
        {user?.isModerator && post.status === 'hidden' && (
          <Choice onChoose={() => actions.onShowAgain(post)}>{t('community.showAgain')}</Choice>
        )}
      </Menu>
    </footer>
  );
}
