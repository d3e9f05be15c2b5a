import { useState } from 'react';
import type { AdCard } from '@alpenglow/domain/contracts';
import { ArrowUpIcon, Button, commonMessages, ConfirmDialog, ErrorBox, LinkButton, listingsMessages as text, messageOf, PencilIcon, TrashIcon, useHost } from '@alpenglow/ui';
import { useAdActions } from './use-ad-actions.ts';
import styles from './ad-actions.module.css';

const AFTER_DELETE = '/provider-profile';

/** What an owner may do: edit, bump, delete. The server decides; its refusal, with the time left, is shown as it says it. */
export function AdActions({ ad }: { readonly ad: Pick<AdCard, 'id'> }) {
  const { navigate } = useHost();
  const { bump, remove } = useAdActions(ad.id);
  const [isAsking, setAsking] = useState(false);
  return (
    <div className={styles['actions']}>
      <div className={styles['row']}>
        <Button variant="primary" busy={bump.isPending} onClick={() => bump.mutate()}>
          <ArrowUpIcon />
          {bump.isPending ? text.bumping : text.bump}
        </Button>
        <LinkButton to={`/edit/${ad.id}`}>
          <PencilIcon />
          {text.edit}
        </LinkButton>
        <Button variant="danger" onClick={() => setAsking(true)}>
          <TrashIcon />
          {text.delete}
        </Button>
      </div>
      {bump.isError && <ErrorBox message={messageOf(bump.error, text.bumpFailed)} />}
      <ConfirmDialog
        open={isAsking}
        title={text.deleteTitle}
        confirmLabel={remove.isPending ? text.deleting : text.deleteConfirm}
        cancelLabel={commonMessages.cancel}
        danger
        busy={remove.isPending}
        onCancel={() => setAsking(false)}
        onConfirm={() =>
          remove.mutate(undefined, {
            onSuccess: () => {
              setAsking(false);
              navigate(AFTER_DELETE, { replace: true });
            },
          })
        }
      >
        <p>{text.deleteText}</p>
        {remove.isError && <ErrorBox message={messageOf(remove.error, text.deleteFailed)} />}
      </ConfirmDialog>
    </div>
  );
}
