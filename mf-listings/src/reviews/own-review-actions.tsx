import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import {
  adKeys,
  Button,
  ConfirmDialog,
  deleteReview,
  messageOf,
  PencilIcon,
  TrashIcon,
  useApi,
  useSend,
} from '@alpenglow/ui';
import { useText } from './text.ts';
import styles from './reviews.module.css';

export interface OwnReviewActionsProps {
  readonly adId: string;
  readonly reviewId: string;
  /** True if others see marks instead of contact details in the review. */
  readonly hasContactDetails: boolean;
  readonly onEdit: () => void;
  /** Called when the author presses the button that opens the dialog. */
  readonly onDelete: () => void;
  readonly onDeleted: () => void;
}

/**
 * The buttons with which authors edit and delete their review, and a note if others do not see all of it.
 * Deleting requires a confirmation.
 */
export default function OwnReviewActions(props: OwnReviewActionsProps) {
  const { adId, reviewId, hasContactDetails, onEdit, onDelete, onDeleted } = props;
  const t = useText();
  const api = useApi();
  const queryClient = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const remove = useSend({
    mutationFn: () => deleteReview(api, adId, reviewId),
    onSuccess: async () => {
      setConfirming(false);
      onDeleted();
      await queryClient.invalidateQueries({ queryKey: adKeys.all });
    },
  });
  return (
    <div className={styles['own']}>
      {hasContactDetails && <p className={styles['none']}>{t('reviewContacts')}</p>}
      <Button size="small" onClick={onEdit}>
        <PencilIcon />
        {t('reviewEdit')}
      </Button>
      <Button
        size="small"
        variant="danger"
        onClick={() => {
          onDelete();
          remove.reset();
          setConfirming(true);
        }}
      >
        <TrashIcon />
        {t('reviewDelete')}
      </Button>
      <ConfirmDialog
        open={isConfirming}
        title={t('reviewDeleteTitle')}
        confirmLabel={t('reviewDelete')}
        cancelLabel={t('common.cancel')}
        danger
        busy={remove.isPending}
        problem={remove.isError ? messageOf(remove.error, t('api.reviewDeleteFailed')) : null}
        onCancel={() => setConfirming(false)}
        onConfirm={() => remove.mutate()}
      >
        <p>{t('reviewDeleteText')}</p>
      </ConfirmDialog>
    </div>
  );
}
