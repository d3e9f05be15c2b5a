import { useState } from 'react';
import { MODERATION_REASON_MAX, type PostView } from '@alpenglow/domain/contracts';
import {
  Button,
  classNames,
  Dialog,
  ErrorBox,
  Field,
  layout,
  messageOf,
  RestoredText,
  TextArea,
  useApi,
  useTextDraft,
  useSend,
} from '@alpenglow/ui';
import { hidePost } from '../api/requests.ts';
import { useText } from '../text.ts';

export interface HideDialogProps {
  readonly threadId: string;
  readonly post: Pick<PostView, 'number'>;
  readonly onClose: () => void;
  readonly onHidden: () => void;
}

/**
 * A dialog in which a moderator hides a post and enters a reason. The author of the post can read the reason. The
 * reason is stored in this tab until the post is hidden.
 */
export function HideDialog({ threadId, post, onClose, onHidden }: HideDialogProps) {
  const t = useText();
  const api = useApi();
  const draft = useTextDraft(`reason.hide.${threadId}-${post.number}`, { in: 'tab' });
  const [reason, setReason] = useState(draft.texts['reason'] ?? '');
  const change = (text: string) => {
    setReason(text);
    draft.save({ reason: text });
  };
  const hide = useSend({
    mutationFn: () => hidePost(api, threadId, post.number, true, reason.trim() === '' ? null : reason),
    onSuccess: () => {
      draft.clear();
      onHidden();
    },
  });
  return (
    <Dialog
      open
      title={post.number === 0 ? t('community.hideThread') : t('community.hidePost')}
      onClose={hide.isPending ? undefined : onClose}
      actions={
        <>
          <Button onClick={onClose} disabled={hide.isPending}>
            {t('common.cancel')}
          </Button>
          <Button variant="danger" busy={hide.isPending} onClick={() => hide.mutate()}>
            {t('community.hide')}
          </Button>
        </>
      }
    >
      <div className={classNames(layout['stack4'], layout['shrink'])}>
        <p>{post.number === 0 ? t('community.hideThreadText') : t('community.hidePostText')}</p>
        <RestoredText draft={draft} onDiscard={() => setReason('')} />
        <Field label={t('community.hideReason')} optional hint={t('community.hideReasonHint')}>
          <TextArea
            dir="auto"
            maxLength={MODERATION_REASON_MAX}
            value={reason}
            onChange={({ target }) => change(target.value)}
          />
        </Field>
        {hide.isError && <ErrorBox message={messageOf(hide.error, t('community.sendFailed'))} />}
      </div>
    </Dialog>
  );
}
