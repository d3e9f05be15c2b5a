import type { PostView } from '@alpenglow/domain/contracts';
import { ArrowUpIcon, Button } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { VerifiedOnly } from '../write/verified-only.tsx';
import { ReplyForm } from './reply-form.tsx';
import type { ThreadWindow } from './thread-window.ts';
import type { ThreadReading } from './use-thread-reading.ts';
import styles from './thread.module.css';

interface ReplySectionProps {
  readonly thread: ThreadWindow['thread'];
  readonly reading: ThreadReading;
  /** The post that the reply quotes, or null. */
  readonly quoted: PostView | null;
  readonly onUnquote: () => void;
}

/** The form for a reply, or the reason why the thread accepts none. */
export function ReplySection({ thread, reading: { shown, showPost }, quoted, onUnquote }: ReplySectionProps) {
  const t = useText();
  return (
    <div className={styles['reply']}>
      {thread.canReply ? (
        <VerifiedOnly>
          <ReplyForm
            threadId={thread.id}
            quoted={quoted}
            onUnquote={onUnquote}
            onSent={async (number) => {
              await shown.showNews();
              showPost(number);
            }}
          />
        </VerifiedOnly>
      ) : (
        <p className={styles['closed']}>
          {t(
            thread.isLocked
              ? 'community.closedText'
              : thread.status === 'hidden'
                ? 'community.hiddenNoReplies'
                : 'community.noReplies',
          )}
        </p>
      )}
    </div>
  );
}

/** The button that shows replies which have arrived since the thread was loaded. */
export function NewReplies({ thread, reading: { shown, showPost } }: Pick<ReplySectionProps, 'thread' | 'reading'>) {
  const t = useText();
  return (
    <div className={styles['pill']} role="status">
      {shown.waiting > 0 && (
        <Button
          variant="primary"
          size="small"
          onClick={() => {
            const first = Math.max(thread.lastNumber, 0) + 1;
            void shown.showNews().then(() => showPost(first));
          }}
        >
          <ArrowUpIcon style={{ rotate: '180deg' }} />
          {t('community.newReplies', { count: shown.waiting })}
        </Button>
      )}
    </div>
  );
}
