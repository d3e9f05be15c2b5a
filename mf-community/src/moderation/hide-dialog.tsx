import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { MODERATION_REASON_MAX, type PostView } from '@alpenglow/domain/contracts';
import { Button, classNames, Dialog, ErrorBox, Field, layout, messageOf, TextArea, useApi } from '@alpenglow/ui';
import { hidePost } from '../api/requests.ts';
import { useText } from '../text.ts';

export interface HideDialogProps {
  readonly threadId: string;
  readonly post: Pick<PostView, 'number'>;
  readonly onClose: () => void;
  readonly onHidden: () => void;
}

/** A dialog in which a moderator hides a post and enters a reason. The author of the post can read the reason. */
export function HideDialog({ threadId, post, onClose, onHidden }: HideDialogProps) {
  const t = useText();
  const api = useApi();
  const [reason, setReason] = useState('');
  const hide = useMutation({
    mutationFn: () => hidePost(api, threadId, post.number, true, reason.trim() === '' ? null : reason),
    onSuccess: onHidden,
  });
  return (
    <Dialog
      open
      title={post.number === 0 ? t('community.hideThread') : t('community.hidePost')}
      onClose={onClose}
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
        <Field label={t('community.hideReason')} optional hint={t('community.hideReasonHint')}>
          <TextArea
            dir="auto"
            maxLength={MODERATION_REASON_MAX}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </Field>
        {hide.isError && <ErrorBox message={messageOf(hide.error, t('community.sendFailed'))} />}
      </div>
    </Dialog>
  );
}
